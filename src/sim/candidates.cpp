#include "sim/candidates.h"

#include "base/error.h"
#include "base/names.h"
#include "graph/edges.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

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

const Names kDirected = {"one-peer-directed", "directed-edges"};

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

constexpr int kDegrees[] = {4, 8, 16};

Names algorithm_names() {
  Names names;
  for (const algo::Agreement* agreement : agreements())
    names.push_back(agreement->name);
  return names;
}

Names graph_names() {
  Names names;
  for (const graph::GraphEntry& entry : graph::graph_table())
    names.push_back(entry.name);
  return names;
}

bool takes(const std::string& graph, const std::string& option) {
  for (const graph::GraphEntry& entry : graph::graph_table()) {
    if (entry.name == graph) {
      return std::ranges::count(entry.options, option) > 0;
    }
  }
  return false;
}

bool contains(const Names& names, const std::string& name) {
  return std::ranges::count(names, name) > 0;
}

// None if it was not asked for.
Names graphs_of(const algo::Agreement& agreement, const Choices& choices) {
  const bool is_asked_for = contains(choices.algorithms, agreement.name);
  if (!choices.algorithms.empty() && !is_asked_for) return {};
  if (agreement.is_centralized()) return default_graphs(agreement);
  Names graphs = choices.graphs;
  if (graphs.empty()) {
    graphs = default_graphs(agreement);
    if (!choices.edges_file.empty()) graphs.push_back("edges");
  }
  // On other graphs its weights are 1, and it takes what another one does.
  if (!is_asked_for && agreement.carries_weights()) {
    std::erase_if(graphs, [&](const std::string& graph) {
      return !contains(kDirected, graph);
    });
  }
  return graphs;
}

void check_names(
    const std::string& kind,
    const Names& names,
    const Names& known) {
  for (const std::string& name : names) {
    if (!contains(known, name)) {
      throw ConfigError(unknown_name(kind, name, known));
    }
  }
}

} // namespace

std::string Candidate::graph_label() const {
  if (!takes(graph.name, "k")) return graph.name;
  return fmt::format("{}, k = {}", graph.name, graph.k);
}

std::string Candidate::label() const {
  if (is_all_reduce()) return algorithm;
  std::string label = fmt::format("{}, {}", algorithm, graph_label());
  if (is_asynchronous() && rate != 1) label += fmt::format(", rate {}", rate);
  return label;
}

std::string Candidate::flags() const {
  std::string flags =
      fmt::format("--agreement {} --graph {}", algorithm, graph.name);
  if (is_asynchronous()) flags += " --continuous-momentum";
  if (is_asynchronous() && rate != 1) flags += fmt::format(" --rate {}", rate);
  if (takes(graph.name, "k")) flags += fmt::format(" --k {}", graph.k);
  if (takes(graph.name, "workers-per-node")) {
    flags += fmt::format(" --workers-per-node {}", graph.workers_per_node);
  }
  if (takes(graph.name, "edges")) {
    flags += fmt::format(" --edges {}", graph.edges_file);
  }
  return flags;
}

void check(const Choices& choices) {
  check_names("algorithm", choices.algorithms, algorithm_names());
  check_names("graph", choices.graphs, graph_names());
  const auto wants_file = [](const std::string& graph) {
    return takes(graph, "edges");
  };
  const bool has_file = !choices.edges_file.empty();
  const bool wants = std::ranges::any_of(choices.graphs, wants_file);
  if (wants && !has_file) {
    throw ConfigError("an edge list is in a file: give --edges FILE");
  }
  if (has_file && !wants && !choices.graphs.empty()) {
    throw ConfigError("--edges: for the graphs edges and directed-edges");
  }
  // What is wrong with the file is wrong for any number of workers.
  if (has_file) {
    graph::read_edge_list(
        "edges",
        std::numeric_limits<int>::max(),
        choices.edges_file);
  }
}

std::vector<Candidate>
candidates(const Choices& choices, int n, int workers_per_node, uint64_t seed) {
  const std::vector<int> degrees =
      choices.degrees.empty()
          ? std::vector<int>(std::begin(kDegrees), std::end(kDegrees))
          : choices.degrees;
  const bool asked_for = !choices.degrees.empty();
  std::vector<Candidate> list;
  const auto add =
      [&](const std::string& algorithm, const std::string& graph, int k) {
        list.push_back(
            {algorithm,
             {.name = graph,
              .n = n,
              .seed = seed,
              .k = k,
              .edges_file = choices.edges_file,
              .workers_per_node = workers_per_node},
             choices.rate});
      };
  for (const algo::Agreement* agreement : agreements()) {
    for (const std::string& graph : graphs_of(*agreement, choices)) {
      if (!takes(graph, "k")) {
        add(agreement->name, graph, 0);
        continue;
      }
      for (const int k : degrees) {
        // What was asked for and cannot be is said so later.
        if (k < n - 1 || asked_for) add(agreement->name, graph, k);
      }
    }
  }
  return list;
}

} // namespace grapevine::sim
