// Circulant graph, a ring with chords: worker i averages with those at the
// given offsets o_1, ..., o_m on the ring, to both sides.
//
//   x_i <- (x_i + sum_k (x_{i-o_k} + x_{i+o_k})) / (d+1)
//
// d = 2m, or 2m-1 if an offset is n/2. Any n. Offsets 1, ..., k/2 are the
// lattice. Without offsets: 1 and the root of n (rounded), a chordal ring
// (Arden, Lee 1981): four neighbours like a torus, and a diameter of about
// sqrt(n), without a factorization of n.
//
// Cost a step and worker: d messages, d model copies. Symmetric.
#include "graph/graphs.h"

#include "base/error.h"
#include "base/option_values.h"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <utility>

namespace grapevine::graph {
namespace {

[[noreturn]] void refuse(const std::string& offsets, const std::string& why) {
  throw ConfigError(
      fmt::format("graph circulant: offsets {}: {}", offsets, why));
}

std::set<int> default_offsets(int n) {
  std::set<int> offsets;
  const int root = static_cast<int>(std::lround(std::sqrt(n)));
  for (const int offset : {1, root}) {
    if (offset <= n / 2) offsets.insert(offset);
  }
  return offsets;
}

std::set<int> read_offsets(int n, const std::string& text) {
  std::set<int> offsets;
  for (const double value : parse_numbers(text, {1, 1e9})) {
    if (value > n / 2 || value != std::floor(value)) {
      refuse(
          text,
          fmt::format(
              "each must be an integer from 1 to n/2 = {}, got {}",
              n / 2,
              value));
    }
    offsets.insert(static_cast<int>(value));
  }
  return offsets;
}

} // namespace

Mixing make_circulant(int n, const std::string& offsets) {
  const std::set<int> distances =
      offsets.empty() ? default_offsets(n) : read_offsets(n, offsets);
  std::vector<std::vector<int>> neighbours(n);
  for (int i = 0; i < n; ++i) {
    std::set<int> found;
    for (const int distance : distances) {
      found.insert((i + distance) % n);
      found.insert((i + n - distance) % n);
    }
    neighbours[i].assign(found.begin(), found.end());
  }
  const auto unreachable =
      first_unreachable(n, [&](int i) { return neighbours[i]; });
  if (unreachable) {
    refuse(
        offsets,
        fmt::format(
            "not connected, worker {} cannot be reached from worker 0; add "
            "one that has no divisor in common with n = {}",
            *unreachable,
            n));
  }
  return Mixing::uniform(std::move(neighbours));
}

} // namespace grapevine::graph
