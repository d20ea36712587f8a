#include "graph/edges.h"

#include "base/error.h"
#include "graph/cyclic_schedule.h"
#include "graph/graphs.h"
#include "graph/push_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <string_view>

namespace grapevine::graph {
namespace {

class Reader {
 public:
  explicit Reader(EdgeList& list) : list_(list) {}

  void read() {
    std::ifstream in(list_.file);
    if (!in) list_.fail("cannot be opened");
    for (std::string line; std::getline(in, line);) {
      ++line_;
      read_line(line.substr(0, line.find('#')));
    }
    // A directory opens but does not read.
    if (in.bad()) list_.fail("cannot be read");
  }

 private:
  void read_line(const std::string& text) {
    std::istringstream words(text);
    std::string first, second, rest;
    if (!(words >> first)) return;
    if (!(words >> second) || words >> rest) {
      fail_line(fmt::format("expected two ranks `i j`, got '{}'", trim(text)));
    }
    const int i = parse_rank(first);
    const int j = parse_rank(second);
    if (i == j) fail_line(fmt::format("worker {} is joined with itself", i));
    list_.edges.emplace_back(i, j);
  }

  int parse_rank(const std::string& word) const {
    int rank = -1;
    const char* end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, rank);
    if (error != std::errc() || stop != end || rank < 0 || rank >= list_.n) {
      fail_line(fmt::format(
          "a rank must lie in 0..{} (n = {}), got '{}'",
          list_.n - 1,
          list_.n,
          word));
    }
    return rank;
  }

  static std::string_view trim(std::string_view text) {
    const auto begin = text.find_first_not_of(" \t\r");
    const auto end = text.find_last_not_of(" \t\r");
    return text.substr(begin, end - begin + 1);
  }

  [[noreturn]] void fail_line(const std::string& what) const {
    throw ConfigError(fmt::format("{}:{}: {}", list_.file, line_, what));
  }

  EdgeList& list_;
  int line_ = 0;
};

} // namespace

void EdgeList::fail(const std::string& what) const {
  throw ConfigError(
      fmt::format("graph {}: the edge list {} {}", graph, file, what));
}

EdgeList
read_edge_list(const std::string& graph, int n, const std::string& file) {
  if (file.empty()) {
    throw ConfigError(fmt::format(
        "graph {}: --edges FILE is missing (one edge `i j` a line)",
        graph));
  }
  EdgeList list{.graph = graph, .file = file, .n = n, .edges = {}};
  Reader(list).read();
  return list;
}

// A graph of your own: undirected edges from a file, Metropolis weights.
//
//   W_ij = 1 / (1 + max(d_i, d_j)) on the edges, the rest on the diagonal
//
// (Xiao, Boyd, Kim 2007; uniform where the graph is regular.) The file has one
// edge `i j` a line (graph/edges.h); an edge that is given twice or in both
// directions counts once. Loops and graphs that are not connected are refused.
//
// Cost a step: worker i sends d_i messages, d_i model copies. Symmetric.

Mixing make_edges(int n, const std::string& file) {
  const EdgeList list = read_edge_list("edges", n, file);
  std::vector<std::vector<int>> neighbours(n);
  for (const auto& [i, j] : list.edges) {
    neighbours[i].push_back(j);
    neighbours[j].push_back(i);
  }
  for (auto& mine : neighbours) {
    std::sort(mine.begin(), mine.end());
    mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
  }
  const auto lost = first_unreachable(n, [&](int i) { return neighbours[i]; });
  if (lost) {
    list.fail(fmt::format(
        "does not connect worker {} with worker 0 (n = {})",
        *lost,
        n));
  }
  return Mixing::metropolis(std::move(neighbours));
}

// A directed graph of your own: `i j` in the file (graph/edges.h) lets i
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
