#include "sim/prediction.h"

#include <fmt/format.h>

#include <algorithm>

namespace grapevine::sim {
namespace {

using Names = std::vector<std::string>;

// In the order in which they are tried: what needs more of a graph comes first.
std::vector<const algo::Agreement*> agreements() {
  std::vector<const algo::Agreement*> list;
  for (const algo::Agreement& agreement : algo::agreement_table())
    list.push_back(&agreement);
  std::ranges::stable_sort(list, {}, &algo::Agreement::graph);
  return list;
}

// That an agreement is used with if none are asked for.
Names default_graphs(const algo::Agreement& agreement) {
  if (agreement.is_centralized()) return {"complete"};
  if (agreement.carries_weights()) return {"one-peer-directed"};
  Names names =
      {"ring", "torus", "exponential", "complete", "hypercube", "lattice"};
  // Its pairs are drawn at random, whatever the order of a schedule is.
  if (agreement.is_asynchronous()) return names;
  for (const char* changing : {"one-peer-ring", "one-peer-exponential", "aer"})
    names.emplace_back(changing);
  return names;
}

bool contains(const Names& names, const std::string& name) {
  return std::ranges::count(names, name) > 0;
}

// None if it was not asked for.
Names graphs_of(const algo::Agreement& agreement, const Query& query) {
  const bool is_asked_for = contains(query.algorithms, agreement.name);
  if (!query.algorithms.empty() && !is_asked_for) return {};
  if (agreement.is_centralized()) return default_graphs(agreement);
  Names graphs = query.graphs;
  if (graphs.empty()) {
    graphs = default_graphs(agreement);
    if (!query.edges_file.empty()) graphs.push_back("edges");
  }
  // On undirected graphs its weights are 1, and it takes what another one does.
  if (!is_asked_for && agreement.carries_weights()) {
    std::erase_if(graphs, [](const std::string& graph) {
      return graph != "one-peer-directed" && graph != "directed-edges";
    });
  }
  return graphs;
}

} // namespace

Names algorithm_names() {
  Names names;
  for (const algo::Agreement* agreement : agreements())
    names.push_back(agreement->name);
  return names;
}

bool graph_takes(const std::string& graph, const std::string& option) {
  const auto& table = graph::graph_table();
  const auto entry = std::ranges::find(table, graph, &graph::GraphEntry::name);
  return entry != table.end() && contains(entry->options, option);
}

std::string Prediction::graph_label() const {
  if (!graph_takes(graph.name, "k")) return graph.name;
  return fmt::format("{}, k = {}", graph.name, graph.k);
}

std::string Prediction::label() const {
  if (is_all_reduce()) return algorithm;
  std::string label = fmt::format("{}, {}", algorithm, graph_label());
  if (is_asynchronous() && rate != 1) label += fmt::format(", rate {}", rate);
  return label;
}

std::string Prediction::flags() const {
  std::string flags =
      fmt::format("--agreement {} --graph {}", algorithm, graph.name);
  if (is_asynchronous()) flags += " --continuous-momentum";
  if (is_asynchronous() && rate != 1) flags += fmt::format(" --rate {}", rate);
  if (graph_takes(graph.name, "k")) flags += fmt::format(" --k {}", graph.k);
  if (graph_takes(graph.name, "workers-per-node")) {
    flags += fmt::format(" --workers-per-node {}", graph.workers_per_node);
  }
  if (graph_takes(graph.name, "edges")) {
    flags += fmt::format(" --edges {}", graph.edges_file);
  }
  return flags;
}

std::vector<Prediction> candidates(const Query& query, int n) {
  const bool asked_for = !query.degrees.empty();
  const std::vector<int> degrees =
      asked_for ? query.degrees : std::vector<int>{4, 8, 16};
  std::vector<Prediction> list;
  for (const algo::Agreement* agreement : agreements()) {
    for (const std::string& graph : graphs_of(*agreement, query)) {
      const bool takes_degree = graph_takes(graph, "k");
      for (const int k : takes_degree ? degrees : std::vector<int>{0}) {
        // What was asked for and cannot be is said so later.
        if (takes_degree && k >= n - 1 && !asked_for) continue;
        list.push_back(
            {.algorithm = agreement->name,
             .graph =
                 {.name = graph,
                  .n = n,
                  .seed = query.seed,
                  .k = k,
                  .edges_file = query.edges_file,
                  .workers_per_node = query.told_workers_per_node(n)},
             .rate = query.rate});
      }
    }
  }
  return list;
}

} // namespace grapevine::sim
