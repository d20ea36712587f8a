// Rank correlation of accuracy with connections and dispersion.
#pragma once

#include "report/analysis.h"
#include "report/sample.h"

namespace grapevine::report {

// Of each stratum and, where there are several, of all: first with the number
// of connections (the mean degree), then with each metric in each phase. Those
// that are undefined (fewer than 3 runs, or nothing varies) are left out.
std::vector<Correlation> correlate(const Sample& sample);

} // namespace grapevine::report
