// Alternating exponential ring (AER): nodes of L workers. A round of the
// butterfly over the nodes (graph/butterfly.h), which pairs node j with node
// j XOR 2^r where there are 2^p nodes and has some triples of nodes otherwise,
// takes two steps:
//
//   in one of them a pair averages inside each of its two nodes,
//   in the other over all its 2L workers,
//
// and successive pairs (counted by their lowest node) take opposite phases, so
// that at any step half of the pairs use the network. The first pair begins
// inside. 4 nodes x 2:
//
//   step 0: {0,1} {2,3} {4,5,6,7}      step 1: {0,1,2,3} {4,5} {6,7}
//   step 2: {0,1} {4,5} {2,3,6,7}      step 3: {0,1,4,5} {2,3} {6,7}
//
// and 3 nodes x 2: {0,1} {2,3} {4,5}, then all six.
//
// "From promise to practice" (arXiv 2410.11998) has it for 2^p nodes. Two
// steps of a round are together one step of the butterfly over nodes whose
// workers agree. So a period (two steps a round, about 2 log2(nodes) in all)
// is from an even step on exactly the global average for 2^a 3^b nodes, else
// within 1/6 of it in the 2-norm. One node alone averages inside, always.
//
// Where L does not divide n the last node is smaller. Averages stay uniform
// over the workers of a group, so W stays doubly stochastic, but the product
// of a period is a little off the average (docs/graphs.md has numbers).
//
// Cost a step and worker, as group averages of g = L, 2L or 3L: 2(g-1)
// messages and 2(g-1)/g model copies (1 and 1 for g = 2). Symmetric.
#include "graph/butterfly.h"
#include "graph/cyclic_schedule.h"
#include "graph/graphs.h"

#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace grapevine::graph {
namespace {

using Groups = std::vector<std::vector<int>>;

class Nodes {
 public:
  Nodes(int n, int per_node) : n_(n), per_node_(per_node) {}

  int count() const { return (n_ + per_node_ - 1) / per_node_; }

  void append_workers(std::vector<int>& workers, int node) const {
    const int end = std::min(n_, (node + 1) * per_node_);
    for (int worker = node * per_node_; worker < end; ++worker)
      workers.push_back(worker);
  }

  // Of the round whose groups of nodes these are.
  Mixing step(const Groups& round, int phase) const {
    Groups groups;
    int with_others = 0;
    for (const std::vector<int>& nodes : round) {
      const bool across = nodes.size() > 1 && with_others++ % 2 != phase;
      if (across) groups.emplace_back();
      for (const int node : nodes) {
        if (!across) groups.emplace_back();
        append_workers(groups.back(), node);
      }
    }
    return Mixing::groups(n_, std::move(groups));
  }

 private:
  int n_;
  int per_node_;
};

} // namespace

std::unique_ptr<Schedule> make_aer(int n, int workers_per_node) {
  if (workers_per_node < 1 || workers_per_node > n) {
    throw ConfigError(fmt::format(
        "graph aer: workers-per-node must lie in 1..n = {}, got {}; nearest "
        "that works: {}",
        n,
        workers_per_node,
        std::clamp(workers_per_node, 1, n)));
  }
  const Nodes nodes(n, workers_per_node);
  if (nodes.count() == 1) return make_static(Mixing::complete(n));
  std::vector<Mixing> cycle;
  for (Groups& round : butterfly_rounds(nodes.count())) {
    std::ranges::sort(round);
    for (const int phase : {0, 1})
      cycle.push_back(nodes.step(round, phase));
  }
  return std::make_unique<CyclicSchedule>(std::move(cycle));
}

} // namespace grapevine::graph
