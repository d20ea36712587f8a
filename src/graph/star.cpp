// Star: worker 0 in the middle, joined with all others, who see only it.
// Metropolis weights, since a uniform average would not keep the mean:
//
//   x_0 <- (x_0 + ... + x_{n-1}) / n
//   x_i <- (1 - 1/n) x_i + (1/n) x_0          i > 0
//
// Cost a step: n-1 messages and model copies each way at worker 0, one each
// way at the others. Symmetric. A bad graph by design: its gap is 1/n.
#include "graph/graphs.h"

namespace grapevine::graph {

Mixing make_star(int n) {
  std::vector<std::vector<int>> neighbours(n);
  for (int i = 1; i < n; ++i) {
    neighbours[0].push_back(i);
    neighbours[i].push_back(0);
  }
  return Mixing::metropolis(std::move(neighbours));
}

} // namespace grapevine::graph
