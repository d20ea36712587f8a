// Hypercube on n = 2^p workers: i averages with all whose number differs from
// its own in one bit.
//
//   x_i <- (x_i + sum_{m=0..p-1} x_{i XOR 2^m}) / (p+1)
//
// All of one-peer exponential's pairs at once.
//
// Cost a step and worker: p messages, p model copies. Symmetric.
#include "graph/graphs.h"

namespace grapevine::graph {

Mixing make_hypercube(int n) {
  require_power_of_two("hypercube", n);
  std::vector<std::vector<int>> neighbours(n);
  for (int i = 0; i < n; ++i) {
    for (int bit = 1; bit < n; bit *= 2)
      neighbours[i].push_back(i ^ bit);
  }
  return Mixing::uniform(std::move(neighbours));
}

} // namespace grapevine::graph
