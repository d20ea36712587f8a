// From run directories to a report: the page, CSV, and the analysis for
// those that print it. A pure function of what the directories hold.
#pragma once

#include "report/page_data.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace grapevine::report {

struct ReportOptions {
  // The page; nothing = none. Its directory must exist.
  std::optional<std::filesystem::path> html;
  std::optional<std::filesystem::path> csv; // a directory
  // A file: the timelines of the run (report/trace.h), which is the only one.
  std::optional<std::filesystem::path> trace;
  std::string title;                 // empty = the first path's name
  std::optional<double> target;      // accuracy, in (0, 1]
  std::string program = "grapevine"; // name and version
};

struct ReportResult {
  std::optional<std::filesystem::path> page; // where it was written
  int64_t trace_events = 0;
  ReportData data;
};

// `paths`: runs, or directories of runs. What cannot be read is in
// data.set.skipped; with no run at all nothing is written. ConfigError for a
// target that is no accuracy, for a trace of several runs and, if `html` is
// asked for, in a build without the page; Error for a trace of a run that has
// no timelines; IoError if a file cannot be written.
ReportResult write_report(
    const std::vector<std::filesystem::path>& paths,
    const ReportOptions& options);

} // namespace grapevine::report
