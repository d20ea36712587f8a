// One-peer ring: each worker averages with its right and its left neighbour
// in turn. n even.
//
//   even steps: pairs (0,1) (2,3) ... (n-2,n-1)
//   odd steps:  pairs (1,2) (3,4) ... (n-1,0)
//   x_i <- (x_i + x_j) / 2
//
// A schedule of "From promise to practice" (arXiv 2410.11998). Period 2 (1
// with two workers, where both pairings are the same).
//
// Cost a step and worker: 1 message, 1 model copy. Symmetric.
#include "graph/cyclic_schedule.h"
#include "graph/schedules.h"

#include "base/error.h"

#include <fmt/format.h>

#include <utility>

namespace grapevine::graph {
namespace {

Mixing pairs_from(int n, int first) {
  std::vector<std::vector<int>> groups;
  for (int i = first; i < n; i += 2)
    groups.push_back({i, (i + 1) % n});
  return Mixing::groups(n, std::move(groups));
}

std::string nearest_even(int n) {
  return n == 1 ? "2" : fmt::format("{} and {}", n - 1, n + 1);
}

} // namespace

std::unique_ptr<Schedule> make_one_peer_ring(int n) {
  if (n % 2 != 0) {
    throw ConfigError(fmt::format(
        "graph one-peer-ring: n must be even, got {}; nearest that works: {}",
        n,
        nearest_even(n)));
  }
  std::vector<Mixing> cycle;
  cycle.push_back(pairs_from(n, 0));
  if (n > 2) cycle.push_back(pairs_from(n, 1));
  return std::make_unique<CyclicSchedule>(std::move(cycle));
}

} // namespace grapevine::graph
