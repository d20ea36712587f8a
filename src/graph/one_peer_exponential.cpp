// One-peer exponential on n = 2^p workers: at step s the pairs whose numbers
// differ in bit s mod p.
//
//   x_i <- (x_i + x_{i XOR 2^(s mod p)}) / 2
//
// A schedule of "From promise to practice" (arXiv 2410.11998). Period p; the
// product of a period is exactly the global average, from any step on.
//
// Cost a step and worker: 1 message, 1 model copy. Symmetric.
#include "graph/cyclic_schedule.h"
#include "graph/requirements.h"
#include "graph/schedules.h"

#include <utility>

namespace grapevine::graph {
namespace {

Mixing pairs_by_bit(int n, int bit) {
  std::vector<std::vector<int>> groups;
  for (int i = 0; i < n; ++i) {
    if ((i & bit) == 0) groups.push_back({i, i | bit});
  }
  return Mixing::groups(n, std::move(groups));
}

} // namespace

std::unique_ptr<Schedule> make_one_peer_exponential(int n) {
  require_power_of_two("one-peer-exponential", "n", n);
  std::vector<Mixing> cycle;
  for (int bit = 1; bit < n; bit *= 2)
    cycle.push_back(pairs_by_bit(n, bit));
  if (cycle.empty()) cycle.push_back(Mixing::complete(n));
  return std::make_unique<CyclicSchedule>(std::move(cycle));
}

} // namespace grapevine::graph
