#include "planner/candidates.h"

#include "base/error.h"
#include "base/names.h"

#include <fmt/format.h>

#include <algorithm>

namespace grapevine::planner {
namespace {

using runtime::Order;

constexpr Order kOrders[] = {
    Order::kAllReduce,
    Order::kAdaptThenCombine,
    Order::kCombineWhileAdapt};

const std::vector<std::string>& default_graphs() {
  static const std::vector<std::string> names = {
      "ring",
      "torus",
      "exponential",
      "complete",
      "hypercube",
      "lattice",
      "one-peer-ring",
      "one-peer-exponential",
      "aer"};
  return names;
}

constexpr int kDegrees[] = {4, 8, 16};

std::vector<std::string> algorithm_names() {
  std::vector<std::string> names;
  for (const Order order : kOrders)
    names.push_back(name(order));
  return names;
}

// Those whose cost is that of every step, known without a file.
std::vector<std::string> graph_names() {
  std::vector<std::string> names;
  for (const graph::GraphEntry& entry : graph::graph_table()) {
    const bool needs_file = std::ranges::count(entry.options, "edges") > 0;
    if (!needs_file && entry.name != "ada") {
      names.push_back(entry.name);
    }
  }
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

} // namespace

std::string Candidate::graph_label() const {
  if (!takes(graph.name, "k")) return graph.name;
  return fmt::format("{}, k = {}", graph.name, graph.k);
}

std::string Candidate::label() const {
  if (is_all_reduce()) return name(order);
  return fmt::format("{}, {}", name(order), graph_label());
}

std::string Candidate::flags() const {
  std::string flags =
      fmt::format("--agreement {} --graph {}", name(order), graph.name);
  if (takes(graph.name, "k")) flags += fmt::format(" --k {}", graph.k);
  if (takes(graph.name, "workers-per-node")) {
    flags += fmt::format(" --workers-per-node {}", graph.workers_per_node);
  }
  return flags;
}

void check(const Choices& choices) {
  check_names("algorithm", choices.algorithms, algorithm_names());
  check_names("graph", choices.graphs, graph_names());
}

std::vector<Candidate>
candidates(const Choices& choices, int n, int workers_per_node, uint64_t seed) {
  const auto& graphs =
      choices.graphs.empty() ? default_graphs() : choices.graphs;
  const std::vector<int> degrees =
      choices.degrees.empty()
          ? std::vector<int>(std::begin(kDegrees), std::end(kDegrees))
          : choices.degrees;
  const bool asked_for = !choices.degrees.empty();
  std::vector<Candidate> list;
  const auto add = [&](Order order, const std::string& name, int k) {
    list.push_back(
        {order,
         {.name = name,
          .n = n,
          .seed = seed,
          .k = k,
          .workers_per_node = workers_per_node}});
  };
  for (const Order order : kOrders) {
    if (!choices.algorithms.empty() &&
        std::ranges::count(choices.algorithms, name(order)) == 0) {
      continue;
    }
    if (order == Order::kAllReduce) {
      add(order, "complete", 0);
      continue;
    }
    for (const std::string& graph : graphs) {
      if (!takes(graph, "k")) {
        add(order, graph, 0);
        continue;
      }
      for (const int k : degrees) {
        // What was asked for and cannot be is said so later.
        if (k < n - 1 || asked_for) add(order, graph, k);
      }
    }
  }
  return list;
}

} // namespace grapevine::planner
