// What is asked of the planner.
#pragma once

#include "sim/costs.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace grapevine::sim {

struct Query {
  Costs costs; // buckets as they are cut

  // Empty lists mean the defaults: all algorithms, each on the graphs that it
  // is used with (docs/plan.md lists them), and those of an edge list if there
  // is one; for graphs that take a degree 4, 8 and 16.
  std::vector<std::string> algorithms = {};
  std::vector<std::string> graphs = {};
  std::vector<int> degrees = {};
  std::string edges_file = {}; // edges, directed-edges
  double rate = 1;             // gossip: averagings per gradient

  // 0: as many as were measured to share a node if there were several nodes;
  // else 1 if `link` is given, and all of them if it is not.
  int workers_per_node = 0;
  // In place of the links between nodes that costs have.
  std::optional<LinkOptions> link = {};
  bool packing = false; // as in runs with --packing
  SlowOptions slow = {};
  bool after_backward = false; // clipped gradients
  // Bytes are moved by ring collectives, as other libraries do, instead of our
  // own plans (sim/exchange.h). Rings know averages of groups only.
  bool rings = false;

  // After the warm-up, rounded up to whole periods; at most the warm-up's if
  // nothing is random.
  int steps = 200;
  uint64_t seed = 1;
  int threads = 0; // that compute the answer; 0 = all cores

  // How many share a node in a run of n.
  int workers_per_node_in(int n) const;
  // The same as graphs and plans are told it: 1 if there is one node only.
  int told_workers_per_node(int n) const;
  // With the link in its place.
  Costs costs_with_link() const;
};

// ConfigError for an unknown name, for an edge list without a file or a file
// without one, and for costs that do not hold.
void check(const Query& query);

// The rate of the links that a run of n workers is limited by: between nodes,
// or inside the one node that they all share; infinite without a limit. In
// bytes a second, as --link counts.
double link_rate(const Query& query, int n);
// Costs with those links at another rate, latencies as they are.
Costs costs_at(const Query& query, int n, double bytes_per_second);

// model, batch, bytes, link, slow, seed, …: docs/plan.md. Here and in the other
// forms as JSON, which `grapevine plan --json` prints and the page reads, what
// is not finite is null, times are in seconds and rates in bytes a second as
// --link counts them.
nlohmann::ordered_json to_json(const Query& query);

} // namespace grapevine::sim
