// The metrics, one file each, whose first comment is the definition. With the
// norms s_1..s_n of one tensor, their mean m, population standard deviation s
// and quartiles Q1, Q3. From "Scaling Up Data Parallelism in Decentralized
// Deep Learning", arXiv 2509.12213.
#pragma once

#include "record/metrics/metric.h"

namespace grapevine::record {

Metric gini();
Metric index_of_dispersion();
Metric coefficient_of_variation();
Metric quartile_coefficient();

} // namespace grapevine::record
