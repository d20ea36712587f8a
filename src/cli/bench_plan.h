// The runs of a benchmark, ready to be trained one after the other.
#pragma once

#include "spec/matrix.h"

#include <string>
#include <vector>

namespace grapevine::cli {

struct BenchRun {
  spec::Spec spec;   // `out` is the run's own directory
  std::string label; // "ada seed 2": what distinguishes it
};

struct BenchPlan {
  std::string directory;
  std::vector<std::string> varied;
  std::vector<BenchRun> runs;
};

// Every run is checked, so that the last one does not fail for its spelling
// after the others took hours. Each gets a directory below the base's `out`
// or, by default, below runs/bench-<hash of all specs>. ConfigError as
// prepare(); also where `out` itself varies.
BenchPlan plan_bench(spec::Matrix matrix);

} // namespace grapevine::cli
