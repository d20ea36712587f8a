// Does the runs of a benchmark, side by side, and shows how they get on.
#pragma once

#include "cli/bench_needs.h"
#include "cli/bench_plan.h"
#include "cli/run_summary.h"

#include <atomic>
#include <vector>

namespace grapevine::cli {

struct BenchResults {
  // In the order of the plan, of all runs that were done, now or before, that
  // failed, or that began; a run that never started has none.
  std::vector<RunSummary> summaries;
  bool all_done = false; // every run completed or diverged
};

// What is done already is read, not done again. `interrupt` ends it early:
// runs write their checkpoints, and no other begins.
BenchResults run_bench(
    const BenchPlan& plan,
    const BenchNeeds& needs,
    const std::atomic<bool>& interrupt,
    bool quiet);

} // namespace grapevine::cli
