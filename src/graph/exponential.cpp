// Static exponential graph, directed: worker i receives from those 1, 2, 4,
// 8, ... places further on, all weights 1/(d+1).
//
//   x_i <- (x_i + sum_{m=0..d-1} x_{(i + 2^m) mod n}) / (d+1)
//   d = floor(log2(n-1)) + 1
//
// D_exponential of DBench (arXiv 2509.12213). Any n: 2^m <= n-1, so the
// offsets are distinct.
//
// Cost a step and worker: d messages, d model copies. Every worker sends to d
// and receives from d others, so W is doubly stochastic, not symmetric.
#include "graph/graphs.h"

namespace grapevine::graph {

Mixing make_exponential(int n) {
  std::vector<std::vector<int>> neighbours(n);
  for (int i = 0; i < n; ++i) {
    for (int offset = 1; offset <= n - 1; offset *= 2) {
      neighbours[i].push_back((i + offset) % n);
    }
  }
  return Mixing::uniform(std::move(neighbours));
}

} // namespace grapevine::graph
