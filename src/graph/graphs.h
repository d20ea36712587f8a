// The graphs, their options, and what they share. Each graph is a file that
// begins with its definition; a new one is a file, its maker and options here,
// and a row of graph_table() in schedule.cpp.
//
// All take n from 1 to kMaxWorkers and throw ConfigError if the definition does
// not allow this n or parameter.
#pragma once

#include "base/option.h"
#include "graph/mixing.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace grapevine::graph {

class Schedule;

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

// Graphs that are the same at every step.
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

// Graphs that vary with the step.
std::unique_ptr<Schedule> make_one_peer_ring(int n);
std::unique_ptr<Schedule> make_one_peer_exponential(int n);
std::unique_ptr<Schedule> make_one_peer_directed(int n);
// Its weights settle, so it is a schedule though its edges stay the same.
std::unique_ptr<Schedule> make_directed_edges(int n, const std::string& file);
std::unique_ptr<Schedule> make_aer(int n, int workers_per_node);
std::unique_ptr<Schedule> make_random_matching(int n, uint64_t seed);

enum class AdaBy { kEpoch, kStep, kControl };
struct AdaOptions {
  AdaBy by = AdaBy::kEpoch;
  int k0 = 0;         // 0 = n-1
  double gamma = -1;  // < 0 = (k0-k_min) / max(1, epochs-1)
  int k_min = 2;      // the floor, at least 2
  int64_t epochs = 1; // for the default gamma only
};
std::unique_ptr<Schedule> make_ada(int n, AdaOptions options);

// A coordination number that a lattice of n can have: k >= n-2 means complete
// (n-1); below that, even, downwards, at least 2.
int lattice_k(int n, int k);

bool is_power_of_two(int n);

// Throws ConfigError unless n is a power of two.
void require_power_of_two(std::string_view graph, int n);

// Throws ConfigError unless 0 <= k <= n-1.
void require_degree_in_range(std::string_view graph, int n, int k);

// Returns the lowest worker that cannot be reached from worker 0 along
// neighbours_of(i); nothing if the graph is connected.
std::optional<int> first_unreachable(
    int n,
    const std::function<std::vector<int>(int)>& neighbours_of);

} // namespace grapevine::graph
