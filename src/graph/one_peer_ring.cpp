// One-peer ring: each worker averages with its right and its left neighbour
// in turn.
//
//   even steps: pairs (0,1) (2,3) ... (n-2,n-1)
//   odd steps:  pairs (1,2) (3,4) ... (n-1,0)
//   x_i <- (x_i + x_j) / 2
//
// A schedule of "From promise to practice" (arXiv 2410.11998), there for even
// n. Odd n closes each round with a triple, (n-3,n-2,n-1) and (n-2,n-1,0),
// whose three average uniformly: the ring then mixes as that of n-1 or n+1
// does. (To leave one out instead would never use the edge n-1 to 0, a path,
// which mixes four times slower.) Period 2; 1 for n <= 3, where both steps are
// the same.
//
// Cost a step and worker: 1 message, 1 model copy; in the triple 4 messages
// and 4/3 copies. Symmetric.
#include "graph/cyclic_schedule.h"
#include "graph/schedules.h"

#include <utility>

namespace grapevine::graph {
namespace {

// Pairs from `first` on; what is left over joins the last one.
Mixing pairs_from(int n, int first) {
  std::vector<std::vector<int>> groups;
  for (int t = 0; t + 1 < n; t += 2)
    groups.push_back({(first + t) % n, (first + t + 1) % n});
  if (n % 2 == 1) groups.back().push_back((first + n - 1) % n);
  return Mixing::groups(n, std::move(groups));
}

} // namespace

std::unique_ptr<Schedule> make_one_peer_ring(int n) {
  if (n <= 3) return make_static(Mixing::complete(n));
  std::vector<Mixing> cycle;
  cycle.push_back(pairs_from(n, 0));
  cycle.push_back(pairs_from(n, 1));
  return std::make_unique<CyclicSchedule>(std::move(cycle));
}

} // namespace grapevine::graph
