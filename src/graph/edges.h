// Edge lists in files, one edge `i j` a line, ranks from 0:
//
//   # a triangle
//   0 1
//   1 2     # comments and empty lines are skipped
//   2 0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace grapevine::graph {

struct EdgeList {
  std::string graph; // whose list it is, for messages
  std::string file;
  int n = 0;
  std::vector<std::pair<int, int>> edges; // in file order, repeats included

  // Refuses the list as a whole: "graph edges: the edge list FILE <what>".
  [[noreturn]] void fail(const std::string& what) const;
};

// Throws ConfigError: no file given or one that cannot be read, a line that is
// not two ranks below n (file and line), a worker joined with itself.
EdgeList
read_edge_list(const std::string& graph, int n, const std::string& file);

} // namespace grapevine::graph
