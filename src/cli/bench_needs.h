// What the runs of a benchmark need, and how they will follow each other.
#pragma once

#include "cli/bench_plan.h"
#include "run/estimate.h"
#include "sweep/forecast.h"
#include "sweep/scheduler.h"

#include <vector>

namespace grapevine::cli {

struct BenchNeeds {
  std::vector<run::Estimate> estimates; // by run; all 0 where it is done
  std::vector<double> core_seconds;     // left to do, by run
  sweep::Limits limits;
};

// Measures for some seconds, unless all is done. jobs: 0 = automatic.
// ConfigError and IoError where a run could not begin: no such data, no step.
BenchNeeds find_needs(const BenchPlan& plan, int jobs);

// Holds what is to be done.
sweep::Scheduler make_scheduler(const BenchPlan& plan, const BenchNeeds& needs);

} // namespace grapevine::cli
