// Alternating exponential ring (AER): nodes of L workers, 2^p nodes. Round r
// pairs node j with node j XOR 2^r and takes two steps:
//
//   in one of them a pair averages inside each of its two nodes,
//   in the other over all its 2L workers,
//
// and successive pairs (counted by their lower node) take opposite phases, so
// that at any step half of the pairs use the network. The first pair begins
// inside. 4 nodes x 2:
//
//   step 0: {0,1} {2,3} {4,5,6,7}      step 1: {0,1,2,3} {4,5} {6,7}
//   step 2: {0,1} {4,5} {2,3,6,7}      step 3: {0,1,4,5} {2,3} {6,7}
//
// "From promise to practice" (arXiv 2410.11998). Period 2p; the product of a
// period is exactly the global average when it begins at an even step. One
// node alone averages inside, always.
//
// Cost a step and worker, as group averages of g = L or 2L: 2(g-1) messages
// and 2(g-1)/g model copies (1 and 1 for g = 2). Symmetric.
#include "graph/cyclic_schedule.h"
#include "graph/requirements.h"
#include "graph/schedules.h"

#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace grapevine::graph {
namespace {

using Groups = std::vector<std::vector<int>>;

// The workers of nodes a and b; of one node where a = b.
std::vector<int> workers_of(int a, int b, int per_node) {
  std::vector<int> workers;
  for (const int node : {a, b}) {
    for (int w = 0; w < per_node; ++w)
      workers.push_back(node * per_node + w);
    if (a == b) break;
  }
  return workers;
}

Mixing step_of_round(int nodes, int per_node, int bit, int phase) {
  Groups groups;
  int pair = 0;
  for (int node = 0; node < nodes; ++node) {
    const int other = node ^ bit;
    if (other < node) continue;
    if (pair++ % 2 == phase) {
      groups.push_back(workers_of(node, node, per_node));
      groups.push_back(workers_of(other, other, per_node));
    } else {
      groups.push_back(workers_of(node, other, per_node));
    }
  }
  return Mixing::groups(nodes * per_node, std::move(groups));
}

int nearest_divisor_below(int n, int value) {
  int divisor = std::min(value, n);
  while (n % divisor != 0)
    --divisor;
  return divisor;
}

void require_whole_nodes(int n, int per_node) {
  if (per_node >= 1 && n % per_node == 0) return;
  throw ConfigError(fmt::format(
      "graph aer: workers-per-node must divide n = {}, got {}; nearest that "
      "works: {}",
      n,
      per_node,
      per_node < 1 ? 1 : nearest_divisor_below(n, per_node)));
}

} // namespace

std::unique_ptr<Schedule> make_aer(int n, int workers_per_node) {
  require_whole_nodes(n, workers_per_node);
  const int nodes = n / workers_per_node;
  require_power_of_two("aer", "n / workers-per-node", nodes, workers_per_node);
  if (nodes == 1) return make_static(Mixing::complete(n));
  std::vector<Mixing> cycle;
  for (int bit = 1; bit < nodes; bit *= 2) {
    for (const int phase : {0, 1}) {
      cycle.push_back(step_of_round(nodes, workers_per_node, bit, phase));
    }
  }
  return std::make_unique<CyclicSchedule>(std::move(cycle));
}

} // namespace grapevine::graph
