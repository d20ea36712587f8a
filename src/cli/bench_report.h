// The report at the end of a benchmark.
#pragma once

#include "cli/bench_plan.h"
#include "report/report.h"

namespace grapevine::cli {

// Analyses the runs of the plan that have left something, and writes the page
// about them, report.html in the plan's directory, unless built without it.
// IoError where it cannot be written.
report::ReportResult write_bench_report(const BenchPlan& plan);

} // namespace grapevine::cli
