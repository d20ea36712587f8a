// A graph of your own: undirected edges from a file, Metropolis weights.
//
//   W_ij = 1 / (1 + max(d_i, d_j)) on the edges, the rest on the diagonal
//
// (Xiao, Boyd, Kim 2007; uniform where the graph is regular.) The file has one
// edge `i j` a line, ranks from 0 to n-1; `#` begins a comment; empty lines
// are skipped; an edge that is given twice or in both directions counts once.
// Loops and graphs that are not connected are refused.
//
// Cost a step: worker i sends d_i messages, d_i model copies. Symmetric.
#include "graph/graphs.h"

#include "base/error.h"
#include "graph/connected.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <string_view>

namespace grapevine::graph {
namespace {

using Neighbours = std::vector<std::vector<int>>;

class EdgeListReader {
 public:
  EdgeListReader(int n, const std::string& file) : file_(file), lists_(n) {
    std::ifstream in(file);
    if (!in) fail_file("cannot be opened");
    for (std::string line; std::getline(in, line);) {
      ++line_;
      read_line(line.substr(0, line.find('#')));
    }
    // A directory opens but does not read.
    if (in.bad()) fail_file("cannot be read");
    for (auto& list : lists_) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
  }

  Neighbours take_connected() {
    const auto lost = first_unreachable(n(), [&](int i) { return lists_[i]; });
    if (lost) {
      fail_file(fmt::format(
          "does not connect worker {} with worker 0 (n = {})",
          *lost,
          n()));
    }
    return std::move(lists_);
  }

 private:
  int n() const { return static_cast<int>(lists_.size()); }

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
    lists_[i].push_back(j);
    lists_[j].push_back(i);
  }

  int parse_rank(const std::string& word) const {
    int rank = -1;
    const char* end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, rank);
    if (error != std::errc() || stop != end || rank < 0 || rank >= n()) {
      fail_line(fmt::format(
          "a rank must lie in 0..{} (n = {}), got '{}'",
          n() - 1,
          n(),
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
    throw ConfigError(fmt::format("{}:{}: {}", file_, line_, what));
  }
  [[noreturn]] void fail_file(const std::string& what) const {
    throw ConfigError(
        fmt::format("graph edges: the edge list {} {}", file_, what));
  }

  std::string file_;
  Neighbours lists_;
  int line_ = 0;
};

} // namespace

Mixing make_edges(int n, const std::string& file) {
  if (file.empty()) {
    throw ConfigError(
        "graph edges: --edges FILE is missing (one edge `i j` a line)");
  }
  return Mixing::metropolis(EdgeListReader(n, file).take_connected());
}

} // namespace grapevine::graph
