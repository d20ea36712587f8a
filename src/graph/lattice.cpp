// Ring lattice of coordination number k: worker i averages with its k nearest
// on the ring, k/2 on each side.
//
//   x_i <- (x_{i-k/2} + ... + x_i + ... + x_{i+k/2}) / (k+1)       k even
//
// The graph on which Ada works (arXiv 2509.12213). k = 2 is the ring,
// k = n-1 (odd ones too) the complete graph.
//
// Cost a step and worker: k messages and model copies when sent directly; at
// most 4 model copies, or about log2(k) messages, by the plans of
// mix/plan.h. Symmetric.
#include "graph/graphs.h"

#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace grapevine::graph {
namespace {

std::string nearest_even(int k) {
  if (k == 1) return "2";
  return fmt::format("{} and {}", k - 1, k + 1);
}

} // namespace

Mixing make_lattice(int n, int k) {
  // Even, or else complete.
  if (k == 0) k = std::min(4, n - 1);
  require_degree_in_range("lattice", n, k);
  if (k % 2 != 0 && k != n - 1) {
    throw ConfigError(fmt::format(
        "graph lattice: k must be even (or n-1 = {}), got {}; nearest that "
        "works: {}",
        n - 1,
        k,
        nearest_even(k)));
  }
  return Mixing::lattice(n, k);
}

} // namespace grapevine::graph
