// One-peer exponential: the rounds of the butterfly, one a step. On n = 2^p
// workers, at step s the pairs whose numbers differ in bit s mod p:
//
//   x_i <- (x_i + x_{i XOR 2^(s mod p)}) / 2
//
// "From promise to practice" (arXiv 2410.11998) has it for 2^p workers. For
// other n the groups are pairs and some triples; graph/butterfly.h says which.
// The period is p = log2(n), for other n about that. The product of a period
// is exactly the global average where n = 2^a 3^b (for 2^p, from any step on),
// else within 1/6 of it in the 2-norm.
//
// Cost a step and worker: 1 message, 1 model copy; in a triple 4 messages and
// 4/3 copies. Symmetric.
#include "graph/butterfly.h"
#include "graph/cyclic_schedule.h"
#include "graph/schedules.h"

#include <utility>

namespace grapevine::graph {

std::unique_ptr<Schedule> make_one_peer_exponential(int n) {
  std::vector<Mixing> cycle;
  for (auto& groups : butterfly_rounds(n))
    cycle.push_back(Mixing::groups(n, std::move(groups)));
  return std::make_unique<CyclicSchedule>(std::move(cycle));
}

} // namespace grapevine::graph
