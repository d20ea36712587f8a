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
#include "graph/cyclic_schedule.h"
#include "graph/schedules.h"

#include <utility>

namespace grapevine::graph {

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
