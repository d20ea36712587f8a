#include "sim/query.h"

#include "algo/agreement.h"
#include "base/error.h"
#include "base/names.h"
#include "graph/edges.h"
#include "sim/prediction.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace grapevine::sim {
namespace {

void check_names(
    const std::string& kind,
    const std::vector<std::string>& names,
    const std::vector<std::string>& known) {
  for (const std::string& name : names) {
    if (std::ranges::count(known, name) == 0) {
      throw ConfigError(unknown_name(kind, name, known));
    }
  }
}

// The level that limits, of costs with the link in its place.
std::optional<Level> Costs::*level_of(const Query& query, int n) {
  const bool one_node = query.workers_per_node_in(n) >= n;
  // One worker needs no links; those that were given are the ones to show.
  if (n == 1 && query.costs_with_link().between) return &Costs::between;
  return one_node ? &Costs::inside : &Costs::between;
}

} // namespace

int Query::workers_per_node_in(int n) const {
  if (workers_per_node > 0) return std::min(workers_per_node, n);
  if (costs.nodes > 1) return std::min(n, costs.workers_per_node);
  return link ? 1 : n;
}

int Query::told_workers_per_node(int n) const {
  const int workers = workers_per_node_in(n);
  return workers < n ? workers : 1;
}

Costs Query::costs_with_link() const {
  return link ? with_link(costs, *link) : costs;
}

void check(const Query& query) {
  check_names("algorithm", query.algorithms, algorithm_names());
  std::vector<std::string> known;
  for (const graph::GraphEntry& entry : graph::graph_table())
    known.push_back(entry.name);
  check_names("graph", query.graphs, known);
  const auto wants_file = [](const std::string& graph) {
    return graph_takes(graph, "edges");
  };
  const bool has_file = !query.edges_file.empty();
  const bool wants = std::ranges::any_of(query.graphs, wants_file);
  if (wants && !has_file) {
    throw ConfigError("an edge list is in a file: give --edges FILE");
  }
  if (has_file && !wants && !query.graphs.empty()) {
    throw ConfigError("--edges: for the graphs edges and directed-edges");
  }
  // What is wrong with the file is wrong for any number of workers.
  if (has_file) {
    graph::read_edge_list(
        "edges",
        std::numeric_limits<int>::max(),
        query.edges_file);
  }
  check(query.costs);
}

double link_rate(const Query& query, int n) {
  const Costs costs = query.costs_with_link();
  const std::optional<Level>& level = costs.*level_of(query, n);
  if (!level) return kUnlimited;
  return std::min(level->bandwidth, level->shared) / kPayloadShare;
}

Costs costs_at(const Query& query, int n, double bytes_per_second) {
  const Costs costs = query.costs_with_link();
  const auto member = level_of(query, n);
  const double rate = link_rate(query, n);
  if (std::isfinite(rate)) {
    return with_faster_links(costs, member, bytes_per_second / rate);
  }
  Costs limited = costs;
  std::optional<Level>& level = limited.*member;
  if (!level) level = Level{};
  level->bandwidth = bytes_per_second * kPayloadShare;
  // Inside a node the links of its workers are their own.
  level->shared = member == &Costs::between ? level->bandwidth : kUnlimited;
  return limited;
}

} // namespace grapevine::sim
