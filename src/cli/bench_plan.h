// The runs of a benchmark, checked, named and looked up.
#pragma once

#include "spec/matrix.h"
#include "sweep/stored_state.h"

#include <cstddef>
#include <string>
#include <vector>

namespace grapevine::cli {

struct BenchRun {
  spec::Spec spec;   // `out` is the run's own directory
  std::string label; // "ada seed 2": what distinguishes it
  sweep::StoredState stored;
};

struct BenchPlan {
  std::string title; // "fashion-mnist-96"
  std::string directory;
  std::vector<std::string> varied;
  std::vector<BenchRun> runs;
};

// Every run is checked, so that the last one does not fail for its spelling
// after the others took hours. Each gets a directory, named after its spec,
// below the base's `out` or, by default, below runs/<stem of the file's name>.
// ConfigError as prepare(); also where `out` itself varies.
BenchPlan plan_bench(spec::Matrix matrix, const std::string& file_name);

// Indices of those that are not done yet.
std::vector<size_t> runs_to_do(const BenchPlan& plan);

// "fashion-mnist-96" of "experiments/fashion-mnist-96.toml".
std::string bench_title(const std::string& file_name);

} // namespace grapevine::cli
