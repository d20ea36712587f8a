// The one-peer schedules: at every step each worker averages with one other,
// in odd cases with two.
#include "graph/butterfly.h"
#include "graph/cyclic_schedule.h"
#include "graph/graphs.h"

#include <utility>

namespace grapevine::graph {

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

std::unique_ptr<Schedule> make_one_peer_exponential(int n) {
  std::vector<Mixing> cycle;
  for (auto& groups : butterfly_rounds(n))
    cycle.push_back(Mixing::groups(n, std::move(groups)));
  return std::make_unique<CyclicSchedule>(std::move(cycle));
}

// One-peer exponential, directed: at step s every worker sends to one other,
// 2^m places further, and hears from one other, 2^m places back.
//
//   x_i <- (x_i + x_{(i - 2^m) mod n}) / 2     m = s mod (floor(log2(n-1)) + 1)
//
// The graph of stochastic gradient push (Assran, Loizou, Ballas, Rabbat 2019).
// Any n. Everybody sends to one and hears one, so W is doubly stochastic and
// push-sum's weights stay 1. For n = 2^p the product of a period is exactly the
// global average.
//
// Cost a step and worker: 1 message, 1 model copy. Not symmetric.

std::unique_ptr<Schedule> make_one_peer_directed(int n) {
  if (n == 1) return make_static(Mixing::complete(1));
  std::vector<Mixing> cycle;
  for (int offset = 1; offset <= n - 1; offset *= 2) {
    std::vector<std::vector<int>> senders(n);
    for (int i = 0; i < n; ++i)
      senders[i] = {(i - offset + n) % n};
    cycle.push_back(Mixing::uniform(std::move(senders)));
  }
  return std::make_unique<CyclicSchedule>(std::move(cycle));
}

} // namespace grapevine::graph
