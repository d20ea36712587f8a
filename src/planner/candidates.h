// What there is to choose from: algorithm x graph x degree.
#pragma once

#include "graph/schedule.h"

#include <cstdint>
#include <string>
#include <vector>

namespace grapevine::planner {

// One way to train n workers.
struct Candidate {
  std::string algorithm; // an agreement, as in a spec
  graph::GraphOptions graph;

  // "complete", "lattice, k = 8".
  std::string graph_label() const;
  // "combine-while-adapt, ring"; All-Reduce needs no graph.
  std::string label() const;
  // What to write behind `grapevine train`.
  std::string flags() const;
  bool is_all_reduce() const { return algorithm == "allreduce"; }
  bool is_asynchronous() const { return algorithm == "gossip"; }
};

// Empty lists mean the defaults: all algorithms, each on the graphs that it is
// used with (docs/plan.md lists them); for graphs that take a degree 4, 8 and
// 16.
struct Choices {
  std::vector<std::string> algorithms = {};
  std::vector<std::string> graphs = {};
  std::vector<int> degrees = {};
};

// ConfigError for a name that is none, or a graph that cannot be predicted
// (an edge list, Ada).
void check(const Choices& choices);

// All of them for n workers, All-Reduce first, each once; lattices without
// those that would be complete. Whether n fits a graph is not looked at.
std::vector<Candidate>
candidates(const Choices& choices, int n, int workers_per_node, uint64_t seed);

} // namespace grapevine::planner
