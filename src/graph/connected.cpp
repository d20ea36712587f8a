#include "graph/connected.h"

#include <algorithm>

namespace grapevine::graph {

std::optional<int> first_unreachable(
    int n,
    const std::function<std::vector<int>(int)>& neighbours_of) {
  std::vector<bool> seen(n);
  std::vector<int> frontier = {0};
  seen[0] = true;
  int reached = 1;
  while (!frontier.empty() && reached < n) {
    const int i = frontier.back();
    frontier.pop_back();
    for (const int j : neighbours_of(i)) {
      if (seen[j]) continue;
      seen[j] = true;
      ++reached;
      frontier.push_back(j);
    }
  }
  const auto it = std::find(seen.begin(), seen.end(), false);
  if (it == seen.end()) return std::nullopt;
  return static_cast<int>(it - seen.begin());
}

} // namespace grapevine::graph
