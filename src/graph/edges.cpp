// A graph of your own: undirected edges from a file, Metropolis weights.
//
//   W_ij = 1 / (1 + max(d_i, d_j)) on the edges, the rest on the diagonal
//
// (Xiao, Boyd, Kim 2007; uniform where the graph is regular.) The file has one
// edge `i j` a line (graph/edge_list.h); an edge that is given twice or in both
// directions counts once. Loops and graphs that are not connected are refused.
//
// Cost a step: worker i sends d_i messages, d_i model copies. Symmetric.
#include "graph/connected.h"
#include "graph/edge_list.h"
#include "graph/graphs.h"

#include <fmt/format.h>

#include <algorithm>

namespace grapevine::graph {

Mixing make_edges(int n, const std::string& file) {
  const EdgeList list = read_edge_list("edges", n, file);
  std::vector<std::vector<int>> neighbours(n);
  for (const auto& [i, j] : list.edges) {
    neighbours[i].push_back(j);
    neighbours[j].push_back(i);
  }
  for (auto& mine : neighbours) {
    std::sort(mine.begin(), mine.end());
    mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
  }
  const auto lost = first_unreachable(n, [&](int i) { return neighbours[i]; });
  if (lost) {
    list.fail(fmt::format(
        "does not connect worker {} with worker 0 (n = {})",
        *lost,
        n));
  }
  return Mixing::metropolis(std::move(neighbours));
}

} // namespace grapevine::graph
