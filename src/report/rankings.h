// Which implementation is best, and what a target accuracy costs.
#pragma once

#include "report/analysis.h"
#include "report/sample.h"

namespace grapevine::report {

// One for each stratum that has a group with a run that counts.
std::vector<Ranking> rank_groups(const Sample& sample);

// Without `target`: see analyse().
Target reach_target(const Sample& sample, std::optional<double> target);

// The first evaluation at or above an accuracy; null if there is none.
const Milestone* first_reaching(const RunData& run, double accuracy);

} // namespace grapevine::report
