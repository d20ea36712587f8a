#include "gossip/neighbours.h"

#include "graph/spectrum.h"

namespace grapevine::gossip {

std::vector<std::vector<int>> neighbours_in(const graph::Schedule& schedule) {
  std::vector<std::shared_ptr<const graph::Mixing>> steps;
  for (int step = 0; step < schedule.sample_steps(); ++step)
    steps.push_back(schedule.at({.step = step}));
  const graph::PairRates rates(std::move(steps));
  std::vector<std::vector<int>> neighbours(schedule.n());
  for (int i = 0; i < schedule.n(); ++i) {
    for (const graph::Term& term : rates.row(i))
      neighbours[i].push_back(term.rank);
  }
  return neighbours;
}

} // namespace grapevine::gossip
