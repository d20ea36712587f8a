// From paths to the runs below them, read and sorted into groups.
#pragma once

#include "report/grouping.h"
#include "report/run_data.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace grapevine::report {

// What was met and cannot be reported on.
struct Skipped {
  std::string path;
  std::string why;
};

struct FoundRuns {
  std::vector<std::filesystem::path> runs; // each once; by name below a path
  std::vector<Skipped> skipped;
};

// A path is a run's directory, or one that holds runs at any depth. What holds
// no run is named in `skipped`. Never throws for what it meets.
FoundRuns find_runs(std::span<const std::filesystem::path> paths);

// How much of each run a page may show, so that it stays small whatever the
// number of runs.
struct Budget {
  int points = 400; // of a curve
  int digits = 6;   // significant, of a number of a curve
  // Runs beyond this number have no curves (first seeds come first).
  int runs_with_curves = 0;
  int runs_with_detail = 0;
  int64_t numbers_of_heat = 0;  // of one run's detail
  int64_t numbers_of_norms = 0; // of one run's detail
};

inline constexpr int64_t kPageDataBytes = 8'000'000;

Budget make_budget(int runs, int groups, int metrics);

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
