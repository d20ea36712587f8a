// Many runs from one file: the benchmark's matrix.
//
//   epochs = 8                       # ordinary keys: the base of every run
//   [matrix]
//   preset = ["ada", "d-ring"]       # every combination of the lists,
//   seed = [1, 2, 3]                 # the last one varying fastest
//   [[runs]]                         # optional: each entry times the matrix
//   lr = 0.05
//   lr-schedule = "cosine"
//
// A flag wins over all of it; a list that a flag overrides is no axis any
// more, so `--seed 1` runs one seed.
#pragma once

#include "spec/spec_table.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace grapevine::spec {

struct Matrix {
  // Keys that differ between runs: those of [[runs]], then those of [matrix].
  std::vector<std::string> varied;
  // In file order; equal ones once. Not validated.
  std::vector<ParsedSpec> runs;
};

// A file without a matrix is a matrix of one run. ConfigError as parse_spec;
// also for a key that is both in [matrix] and in [[runs]], and for more than
// 10,000 runs.
Matrix parse_matrix(
    std::string_view toml,
    const std::string& file_name,
    const Flags& flags);

} // namespace grapevine::spec
