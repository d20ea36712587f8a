#include "graph/graphs.h"

#include "base/error.h"
#include "graph/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace grapevine::graph {

bool is_power_of_two(int n) {
  return n >= 1 && std::has_single_bit(static_cast<unsigned>(n));
}

void require_power_of_two(std::string_view graph, int n) {
  if (is_power_of_two(n)) return;
  const int below = static_cast<int>(std::bit_floor(unsigned(n)));
  const int above = 2 * below;
  const std::string nearest = above <= kMaxWorkers
                                  ? fmt::format("{} and {}", below, above)
                                  : fmt::format("{}", below);
  throw ConfigError(fmt::format(
      "graph {}: n must be a power of two, got {}; nearest n that works: {}",
      graph,
      n,
      nearest));
}

void require_degree_in_range(std::string_view graph, int n, int k) {
  if (k >= 0 && k <= n - 1) return;
  const int nearest = k < 0 ? std::min(2, n - 1) : n - 1;
  throw ConfigError(fmt::format(
      "graph {}: k must be positive and at most n-1 = {}, got {}; nearest "
      "that works: {}",
      graph,
      n - 1,
      k,
      nearest));
}

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
