#include "graph/edge_list.h"

#include "base/error.h"

#include <fmt/format.h>

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

} // namespace grapevine::graph
