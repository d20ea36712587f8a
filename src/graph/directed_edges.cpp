// A directed graph of your own: `i j` in the file (graph/edge_list.h) lets i
// send to j, and not j to i unless `j i` stands there too.
//
// Every worker shares equally among itself and those it sends to, which is all
// it need know:
//
//   A_ij = 1 / (1 + outdegree(j))      j sends to i, or j = i
//
// Columns of A sum to 1, rows in general do not, and averages then need
// push-sum's weights (graph/push_schedule.h). Where everybody sends to and
// hears from equally many, A is doubly stochastic and serves any agreement. An
// edge that is given twice counts once. Loops are refused, and graphs in which
// somebody cannot reach everybody: no weights could make those agree.
//
// Cost a step: worker i sends outdegree(i) messages and model copies.
#include "graph/connected.h"
#include "graph/cyclic_schedule.h"
#include "graph/edge_list.h"
#include "graph/push_schedule.h"
#include "graph/schedules.h"

#include <fmt/format.h>

#include <algorithm>

namespace grapevine::graph {
namespace {

using Lists = std::vector<std::vector<int>>;

struct Directed {
  Lists receivers; // whom each sends to
  Lists senders;   // whom each hears
};

Directed lists_of(EdgeList& list) {
  std::sort(list.edges.begin(), list.edges.end());
  list.edges.erase(
      std::unique(list.edges.begin(), list.edges.end()),
      list.edges.end());
  Directed graph{Lists(list.n), Lists(list.n)};
  for (const auto& [i, j] : list.edges) {
    graph.receivers[i].push_back(j);
    graph.senders[j].push_back(i);
  }
  return graph;
}

void check_strongly_connected(const EdgeList& list, const Directed& graph) {
  const auto unreached = [&](const Lists& lists) {
    return first_unreachable(list.n, [&](int i) { return lists[i]; });
  };
  constexpr const char* kReason =
      "; push-sum needs a way from everybody to everybody (n = {})";
  if (const auto lost = unreached(graph.receivers)) {
    list.fail(
        fmt::format("has no way from worker 0 to worker {}", *lost) +
        fmt::format(kReason, list.n));
  }
  if (const auto lost = unreached(graph.senders)) {
    list.fail(
        fmt::format("has no way from worker {} to worker 0", *lost) +
        fmt::format(kReason, list.n));
  }
}

bool have_length(const Lists& lists, size_t length) {
  return std::all_of(lists.begin(), lists.end(), [&](const auto& list) {
    return list.size() == length;
  });
}

} // namespace

std::unique_ptr<Schedule> make_directed_edges(int n, const std::string& file) {
  EdgeList list = read_edge_list("directed-edges", n, file);
  Directed graph = lists_of(list);
  check_strongly_connected(list, graph);
  const size_t degree = graph.receivers[0].size();
  if (have_length(graph.receivers, degree) &&
      have_length(graph.senders, degree)) {
    return make_static(Mixing::uniform(std::move(graph.senders)));
  }
  return std::make_unique<PushSchedule>(std::move(graph.receivers));
}

} // namespace grapevine::graph
