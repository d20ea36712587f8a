#include "cli/bench_report.h"

#include "cli/version.h"
#include "record/run_directory.h"
#include "report/page.h"

#include <fmt/format.h>

#include <filesystem>

namespace grapevine::cli {

report::ReportResult write_bench_report(const BenchPlan& plan) {
  const std::filesystem::path directory = plan.directory;
  std::vector<std::filesystem::path> runs;
  for (const BenchRun& run : plan.runs) {
    if (record::RunDirectory(run.spec.out).exists()) {
      runs.emplace_back(run.spec.out);
    }
  }
  report::ReportOptions options;
  options.title = plan.title;
  options.program = fmt::format("grapevine {}", kVersion);
  if (report::has_page()) options.html = directory / "report.html";
  return report::write_report(runs, options);
}

} // namespace grapevine::cli
