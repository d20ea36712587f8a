// From paths to the runs below them, read and sorted into groups.
#pragma once

#include "report/budget.h"
#include "report/find_runs.h"
#include "report/grouping.h"
#include "report/run_data.h"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace grapevine::report {

struct RunSet {
  std::vector<RunData> runs;
  Grouping grouping;
  std::vector<Skipped> skipped;
  std::vector<std::string> notes; // what a reader of the page should know
  Budget budget;
};

// Reads on two threads. Directories that cannot be read are skipped with the
// reason; never throws for what it meets in them.
RunSet load_runs(std::span<const std::filesystem::path> paths);

} // namespace grapevine::report
