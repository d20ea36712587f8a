// Which run directories a few paths mean.
#pragma once

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

// A path is a run's directory, or one that holds runs at any depth. What
// holds no run is named in `skipped`. Never throws for what it meets.
FoundRuns find_runs(std::span<const std::filesystem::path> paths);

} // namespace grapevine::report
