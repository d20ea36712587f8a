// The options of all graphs, and the static graphs, one file each, whose first
// comment is the definition. A new graph is a file, its maker and options here,
// and a row of graph_table() in schedule.cpp.
//
// All take n from 1 to kMaxWorkers and throw ConfigError if the definition does
// not allow the n or the parameter asked for.
#pragma once

#include "base/option.h"
#include "graph/mixing.h"

#include <cstdint>
#include <string>
#include <vector>

namespace grapevine::graph {

// The largest n of any graph.
inline constexpr int kMaxWorkers = 4096;

// What names a schedule. Fields that a graph does not use are ignored; an
// option of a graph is a field here and a line in graph_options().
struct GraphOptions {
  std::string name = "ring";
  int n = 1;
  uint64_t seed = 0;           // random-regular, random-matching
  int rows = 0;                // torus: 0 = as square as possible
  int k = 0;                   // lattice, random-regular: 0 = min(4, n-1)
  std::string edges_file = {}; // edges, directed-edges
  std::string offsets = {};    // circulant: "1,5"; empty = 1 and sqrt(n)
  int workers_per_node = 1;    // aer; 0 counts as 1
  int k0 = 0;                  // ada: 0 = n-1
  double gamma = -1;           // ada: < 0 = (k0-k_min) / max(1, epochs-1)
  int k_min = 2;               // ada: the floor
  std::string ada = "epoch";   // when k changes: epoch | step | auto
  int64_t epochs = 1;          // ada's default gamma
  double ada_level = 0.5;      // ada auto: relative to the largest spread
  int64_t ada_every = 10;      // ada auto: steps between observations
};

// The options that graphs take, but for name, n, seed and epochs, which are
// the run's. In the order of --help.
const std::vector<Option<GraphOptions>>& graph_options();

Mixing make_ring(int n);
// rows = 0: as square as possible.
Mixing make_torus(int n, int rows);
Mixing make_exponential(int n);
Mixing make_complete(int n);
// k = 0: min(4, n-1).
Mixing make_lattice(int n, int k);
// offsets: "1,5"; empty = 1 and the root of n.
Mixing make_circulant(int n, const std::string& offsets);
Mixing make_hypercube(int n);
Mixing make_star(int n);
// k = 0: min(4, n-1).
Mixing make_random_regular(int n, int k, uint64_t seed);
Mixing make_edges(int n, const std::string& file);

} // namespace grapevine::graph
