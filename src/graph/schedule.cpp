#include "graph/schedule.h"

#include "base/error.h"
#include "base/names.h"
#include "graph/cyclic_schedule.h"
#include "graph/graphs.h"

#include <fmt/format.h>

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

struct Row {
  GraphEntry entry;
  std::function<Made(const Options&)> make;
};

// One line a graph; everything else that lists graphs reads this table.
const std::vector<Row>& rows() {
  static const std::vector<Row> rows = {
      {{"ring", "two neighbours, left and right", {}, false},
       [](const Options& o) { return make_static(make_ring(o.n)); }},
      {{"torus", "grid that wraps round, four neighbours", {"rows"}, false},
       [](const Options& o) { return make_static(make_torus(o.n, o.rows)); }},
      {{"exponential", "directed, 1, 2, 4, 8, ... places further", {}, false},
       [](const Options& o) { return make_static(make_exponential(o.n)); }},
      {{"complete", "everybody with everybody", {}, false},
       [](const Options& o) { return make_static(make_complete(o.n)); }},
      {{"lattice", "the k nearest on a ring", {"k"}, false},
       [](const Options& o) { return make_static(make_lattice(o.n, o.k)); }},
      {{"hypercube", "numbers that differ in one bit; n = 2^p", {}, false},
       [](const Options& o) { return make_static(make_hypercube(o.n)); }},
      {{"star", "worker 0 with all others", {}, false},
       [](const Options& o) { return make_static(make_star(o.n)); }},
      {{"random-regular",
        "k random neighbours each, connected",
        {"k", "seed"},
        false},
       [](const Options& o) {
         return make_static(make_random_regular(o.n, o.k, o.seed));
       }},
      {{"edges", "your own undirected edge list", {"edges"}, false},
       [](const Options& o) {
         return make_static(make_edges(o.n, o.edges_file));
       }},
      {{"directed-edges",
        "your own directed edge list, for push-sum",
        {"edges"},
        false},
       [](const Options& o) { return make_directed_edges(o.n, o.edges_file); }},
      {{"one-peer-ring", "left and right in turn", {}, true},
       [](const Options& o) { return make_one_peer_ring(o.n); }},
      {{"one-peer-exponential",
        "one bit of the number a step; any n",
        {},
        true},
       [](const Options& o) { return make_one_peer_exponential(o.n); }},
      {{"one-peer-directed",
        "to 1, 2, 4, ... places further in turn; any n",
        {},
        true},
       [](const Options& o) { return make_one_peer_directed(o.n); }},
      {{"aer",
        "alternating exponential ring over nodes",
        {"workers-per-node"},
        true},
       [](const Options& o) { return make_aer(o.n, o.workers_per_node); }},
      {{"random-matching", "new random pairs every step", {"seed"}, true},
       [](const Options& o) { return make_random_matching(o.n, o.seed); }},
      {{"ada",
        "lattice whose k falls with time or with the replicas' spread",
        {"k0", "gamma", "k-min", "ada", "ada-level", "ada-every"},
        true},
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
  return rows;
}

std::vector<GraphEntry> entries() {
  std::vector<GraphEntry> list;
  for (const Row& row : rows())
    list.push_back(row.entry);
  return list;
}

const Row& find_row(const std::string& name) {
  std::vector<std::string> names;
  for (const Row& row : rows()) {
    if (row.entry.name == name) return row;
    names.push_back(row.entry.name);
  }
  throw ConfigError(unknown_name("graph", name, names));
}

} // namespace

const std::vector<GraphEntry>& graph_table() {
  static const std::vector<GraphEntry> table = entries();
  return table;
}

std::unique_ptr<Schedule> make_schedule(const GraphOptions& options) {
  const Row& row = find_row(options.name);
  if (options.n < 1 || options.n > kMaxWorkers) {
    throw ConfigError(fmt::format(
        "graph {}: n must lie in 1..{}, got {}; nearest that works: {}",
        options.name,
        kMaxWorkers,
        options.n,
        options.n < 1 ? 1 : kMaxWorkers));
  }
  return row.make(options);
}

} // namespace grapevine::graph
