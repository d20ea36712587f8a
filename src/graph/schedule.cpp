#include "graph/schedule.h"

#include "base/error.h"
#include "base/names.h"
#include "graph/cyclic_schedule.h"
#include "graph/graphs.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace grapevine::graph {
namespace {

using Options = GraphOptions;
using Made = std::unique_ptr<Schedule>;

AdaBy ada_by(const std::string& word) {
  if (word == "step") return AdaBy::kStep;
  if (word == "auto") return AdaBy::kControl;
  return AdaBy::kEpoch;
}

} // namespace

const std::vector<GraphEntry>& graph_table() {
  static const std::vector<GraphEntry> table = {
      {"ring",
       "two neighbours, left and right",
       {},
       false,
       [](const Options& o) { return make_static(make_ring(o.n)); }},
      {"torus",
       "grid that wraps round, four neighbours",
       {"rows"},
       false,
       [](const Options& o) { return make_static(make_torus(o.n, o.rows)); }},
      {"exponential",
       "directed, 1, 2, 4, 8, ... places further",
       {},
       false,
       [](const Options& o) { return make_static(make_exponential(o.n)); }},
      {"complete",
       "everybody with everybody",
       {},
       false,
       [](const Options& o) { return make_static(make_complete(o.n)); }},
      {"lattice",
       "the k nearest on a ring",
       {"k"},
       false,
       [](const Options& o) { return make_static(make_lattice(o.n, o.k)); }},
      {"circulant",
       "ring with chords: neighbours at the given offsets; any n",
       {"offsets"},
       false,
       [](const Options& o) {
         return make_static(make_circulant(o.n, o.offsets));
       }},
      {"hypercube",
       "numbers that differ in one bit; n = 2^p",
       {},
       false,
       [](const Options& o) { return make_static(make_hypercube(o.n)); }},
      {"star",
       "worker 0 with all others",
       {},
       false,
       [](const Options& o) { return make_static(make_star(o.n)); }},
      {"random-regular",
       "k random neighbours each, connected",
       {"k", "seed"},
       false,
       [](const Options& o) {
         return make_static(make_random_regular(o.n, o.k, o.seed));
       }},
      {"edges",
       "your own undirected edge list",
       {"edges"},
       false,
       [](const Options& o) {
         return make_static(make_edges(o.n, o.edges_file));
       }},
      {"directed-edges",
       "your own directed edge list, for push-sum",
       {"edges"},
       false,
       [](const Options& o) { return make_directed_edges(o.n, o.edges_file); }},
      {"one-peer-ring",
       "left and right in turn",
       {},
       true,
       [](const Options& o) { return make_one_peer_ring(o.n); }},
      {"one-peer-exponential",
       "one bit of the number a step; any n",
       {},
       true,
       [](const Options& o) { return make_one_peer_exponential(o.n); }},
      {"one-peer-directed",
       "to 1, 2, 4, ... places further in turn; any n",
       {},
       true,
       [](const Options& o) { return make_one_peer_directed(o.n); }},
      {"aer",
       "alternating exponential ring over nodes",
       {"workers-per-node"},
       true,
       [](const Options& o) {
         return make_aer(o.n, std::max(1, o.workers_per_node));
       }},
      {"random-matching",
       "new random pairs every step",
       {"seed"},
       true,
       [](const Options& o) { return make_random_matching(o.n, o.seed); }},
      {"ada",
       "lattice whose k falls with time or with the replicas' spread",
       {"k0", "gamma", "k-min", "ada", "ada-level", "ada-every"},
       true,
       [](const Options& o) {
         return make_ada(
             o.n,
             {.by = ada_by(o.ada),
              .k0 = o.k0,
              .gamma = o.gamma,
              .k_min = o.k_min,
              .epochs = o.epochs});
       }},
  };
  return table;
}

const std::vector<Option<GraphOptions>>& graph_options() {
  constexpr int64_t kMost = 65536;
  static const std::vector<Option<GraphOptions>> list = {
      integer("rows", &Options::rows, {0, kMost})
          .says("torus: rows; 0 = as square as possible"),
      integer("k", &Options::k, {0, kMost})
          .says("lattice, random-regular: degree; 0 = 4, or what n allows"),
      text("edges", &Options::edges_file)
          .says("edges, directed-edges: file with one edge per line"),
      integer("workers-per-node", &Options::workers_per_node, {0, kMost})
          .says(
              "workers that share a node, for aer and for group averages; 0 = "
              "as launched, 1 in a virtual cluster"),
      text("offsets", &Options::offsets)
          .hashed_if_set()
          .says("circulant: distances of the neighbours on the ring, like 1,5; "
                "empty = 1 and the root of n"),
      integer("k0", &Options::k0, {0, kMost})
          .says("ada: degree in the first epoch; 0 = n - 1"),
      number("gamma", &Options::gamma, kAtLeastZero)
          .also("-1", &Options::gamma, -1.0)
          .also("-1.0", &Options::gamma, -1.0)
          .says("ada: decrease of the degree per epoch; -1 = (k0 - k-min) / "
                "(epochs - 1)"),
      integer("k-min", &Options::k_min, {2, kMost})
          .says("ada: smallest degree"),
      choice("ada", &Options::ada, {"epoch", "step", "auto"})
          .says("what lowers the degree; auto = the replicas' spread of norms"),
      number("ada-level", &Options::ada_level, kAboveZero)
          .only_for("ada", "auto")
          .says(
              "ada auto: spread to keep, relative to the largest on the first "
              "graph"),
      integer("ada-every", &Options::ada_every, {1, kAnyMore})
          .only_for("ada", "auto")
          .says("ada auto: steps between observations of the spread"),
  };
  return list;
}

std::unique_ptr<Schedule> make_schedule(const GraphOptions& options) {
  const GraphEntry& entry = find_row("graph", options.name, graph_table());
  if (options.n < 1 || options.n > kMaxWorkers) {
    throw ConfigError(fmt::format(
        "graph {}: n must lie in 1..{}, got {}; nearest that works: {}",
        options.name,
        kMaxWorkers,
        options.n,
        options.n < 1 ? 1 : kMaxWorkers));
  }
  return entry.make(options);
}

} // namespace grapevine::graph
