// Differences in accuracy that people ask for, paired by seed.
#pragma once

#include "report/analysis.h"
#include "report/sample.h"

namespace grapevine::report {

// The largest n against the smallest, for each implementation.
std::vector<Comparison> compare_scales(const Sample& sample);
// Square-root against linear scaling of the learning rate, for each
// implementation, everything else equal.
std::vector<Comparison> compare_scalings(const Sample& sample);
// Each Ada against decentralized averaging over all workers, and against the
// best fixed sparse graph (ring, torus, exponential), in each stratum.
std::vector<Comparison> compare_ada(const Sample& sample);

} // namespace grapevine::report
