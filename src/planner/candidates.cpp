#include "planner/candidates.h"

#include "base/error.h"
#include "base/names.h"
#include "graph/edge_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace grapevine::planner {
namespace {

using Names = std::vector<std::string>;

struct Algorithm {
  std::string name;
  Names graphs; // that it is used with, where none are asked for
  // On others it takes what its twin without weights does, and is tried only
  // where it is asked for by name; empty: there are no others.
  Names only = {};
};

const std::vector<Algorithm>& algorithms() {
  static const Names fixed =
      {"ring", "torus", "exponential", "complete", "hypercube", "lattice"};
  static const Names mixing = [] {
    Names names = fixed;
    for (const char* changing :
         {"one-peer-ring", "one-peer-exponential", "aer"})
      names.push_back(changing);
    return names;
  }();
  static const Names directed = {"one-peer-directed", "directed-edges"};
  static const std::vector<Algorithm> table = {
      {"allreduce", {"complete"}},
      {"adapt-then-combine", mixing},
      {"combine-while-adapt", mixing},
      {"gradient-tracking", mixing},
      {"push-sum", {"one-peer-directed"}, directed},
      {"push-sum-overlapped", {"one-peer-directed"}, directed},
      // Its pairs are drawn by chance, whatever the order of a schedule is.
      {"gossip", fixed}};
  return table;
}

constexpr int kDegrees[] = {4, 8, 16};

Names algorithm_names() {
  Names names;
  for (const Algorithm& algorithm : algorithms())
    names.push_back(algorithm.name);
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

// None where it was not asked for.
Names graphs_of(const Algorithm& algorithm, const Choices& choices) {
  const bool is_asked_for = contains(choices.algorithms, algorithm.name);
  if (!choices.algorithms.empty() && !is_asked_for) return {};
  if (algorithm.name == "allreduce") return algorithm.graphs;
  Names graphs = choices.graphs;
  if (graphs.empty()) {
    graphs = algorithm.graphs;
    if (!choices.edges_file.empty()) graphs.push_back("edges");
  }
  if (!is_asked_for && !algorithm.only.empty()) {
    std::erase_if(graphs, [&](const std::string& graph) {
      return !contains(algorithm.only, graph);
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
  for (const Algorithm& algorithm : algorithms()) {
    for (const std::string& graph : graphs_of(algorithm, choices)) {
      if (!takes(graph, "k")) {
        add(algorithm.name, graph, 0);
        continue;
      }
      for (const int k : degrees) {
        // What was asked for and cannot be is said so later.
        if (k < n - 1 || asked_for) add(algorithm.name, graph, k);
      }
    }
  }
  return list;
}

} // namespace grapevine::planner
