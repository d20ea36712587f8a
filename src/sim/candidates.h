// What there is to choose from: algorithm x graph x degree.
#pragma once

#include "algo/agreement.h"
#include "graph/schedule.h"

#include <cstdint>
#include <string>
#include <vector>

namespace grapevine::sim {

// One way to train n workers.
struct Candidate {
  std::string algorithm; // an agreement, as in a spec
  graph::GraphOptions graph;
  double rate = 1; // gossip: averagings a gradient

  // "complete", "lattice, k = 8".
  std::string graph_label() const;
  // "combine-while-adapt, ring"; All-Reduce needs no graph.
  std::string label() const;
  // What to write behind `grapevine train`.
  std::string flags() const;
  const algo::Agreement& agreement() const {
    return algo::find_agreement(algorithm);
  }
  bool is_all_reduce() const { return agreement().is_centralized(); }
  bool is_asynchronous() const { return agreement().is_asynchronous(); }
};

// Empty lists mean the defaults: all algorithms, each on the graphs that it is
// used with (docs/plan.md lists them), and those of an edge list where there
// is one; for graphs that take a degree 4, 8 and 16.
struct Choices {
  std::vector<std::string> algorithms = {};
  std::vector<std::string> graphs = {};
  std::vector<int> degrees = {};
  std::string edges_file = {}; // edges, directed-edges
  double rate = 1;             // gossip
};

// ConfigError for a name that is none, for an edge list without a file or a
// file without one.
void check(const Choices& choices);

// All of them for n workers, All-Reduce first, each once; lattices without
// those that would be complete. Whether n fits a graph is not looked at.
std::vector<Candidate>
candidates(const Choices& choices, int n, int workers_per_node, uint64_t seed);

} // namespace grapevine::sim
