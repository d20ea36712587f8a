#include "report/report.h"

#include "base/error.h"
#include "record/atomic_file.h"
#include "report/csv.h"
#include "report/page.h"
#include "report/trace.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>

namespace grapevine::report {
namespace {

namespace fs = std::filesystem;

std::string now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

std::string title_of(const std::vector<fs::path>& paths) {
  if (paths.empty()) return "Grapevine";
  const fs::path path = fs::absolute(paths.front()).lexically_normal();
  const fs::path name =
      path.has_filename() ? path.filename() : path.parent_path().filename();
  if (paths.size() == 1) return name.string();
  return fmt::format("{} and {} more", name.string(), paths.size() - 1);
}

int64_t trace_one(const report::RunSet& set, const fs::path& file) {
  if (set.runs.size() != 1) {
    throw ConfigError(fmt::format(
        "--trace is of one run, and these are {}",
        set.runs.size()));
  }
  const std::string& path = set.runs.front().path;
  const int64_t events = write_trace(record::RunDirectory(path), file);
  if (events == 0) {
    throw Error(fmt::format(
        "{} has no timelines to trace: its trace-every is {}",
        path,
        set.runs.front().spec.trace_every));
  }
  return events;
}

} // namespace

ReportResult write_report(
    const std::vector<fs::path>& paths,
    const ReportOptions& options) {
  if (options.target && !(*options.target > 0 && *options.target <= 1)) {
    throw ConfigError(fmt::format(
        "the target is an accuracy above 0 and at most 1, not {}",
        *options.target));
  }
  ReportResult result;
  ReportData& data = result.data;
  data.title = options.title.empty() ? title_of(paths) : options.title;
  data.created = now();
  data.program = options.program;
  data.set = report::load_runs(paths);
  if (data.set.runs.empty()) return result;
  data.analysis =
      report::analyse(data.set.runs, data.set.grouping, options.target);
  data.graphs =
      report::graph_frames(data.set.runs, data.set.grouping, data.set.notes);
  if (options.trace) {
    result.trace_events = trace_one(data.set, *options.trace);
  }
  if (options.html) {
    record::write_atomically(*options.html, make_page(page_data(data)));
    result.page = options.html;
  }
  if (options.csv) write_csv(data, *options.csv);
  return result;
}

} // namespace grapevine::report
