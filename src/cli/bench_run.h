// Does the runs of a benchmark, side by side, and shows their progress.
#pragma once

#include "cli/run_summary.h"
#include "report/report.h"
#include "run/estimate.h"
#include "sweep/plan.h"
#include "sweep/scheduler.h"

#include <atomic>
#include <vector>

namespace grapevine::cli {

// What the runs of a benchmark will take.
struct BenchNeeds {
  std::vector<run::Estimate> estimates; // by run; all 0 if it is done
  std::vector<double> core_seconds;     // left to do, by run
  sweep::Scheduler scheduler;           // holds what is to be done
  sweep::Outlook outlook;
};

// Measures for some seconds, unless all is done. jobs: 0 = automatic.
// ConfigError and IoError if a run could not begin: no such data, no step.
BenchNeeds find_needs(const sweep::Plan& plan, int jobs);

struct BenchResults {
  // In the order of the plan, of all runs that were done, now or before, that
  // failed, or that began; a run that never started has none.
  std::vector<RunSummary> summaries;
  report::ReportResult report; // report.html in the plan's directory
  bool all_done = false;       // every run completed or diverged
};

// Runs that are done already are read, not done again. `interrupt` ends it
// early: runs write their checkpoints, and no other begins. IoError if the page
// cannot be written.
BenchResults run_bench(
    const sweep::Plan& plan,
    const BenchNeeds& needs,
    const std::atomic<bool>& interrupt,
    bool quiet);

} // namespace grapevine::cli
