#include "train/gossip_setup.h"

#include "graph/spectrum.h"

#include <nlohmann/json.hpp>

namespace grapevine::train {

gossip::Dynamics gossip_dynamics(const Setup& setup) {
  if (!setup.spec.continuous_momentum) return gossip::plain_dynamics();
  return gossip::accelerated_dynamics(
      graph::analyse(*setup.schedule),
      setup.spec.n,
      setup.spec.rate);
}

gossip::Averagings gossip_averagings(const Setup& setup) {
  return setup.spec.averagings == "exact" ? gossip::Averagings::kExact
                                          : gossip::Averagings::kPoisson;
}

nlohmann::json gossip_record(
    const graph::Moment& moment,
    const std::vector<gossip::Statistics>& workers) {
  nlohmann::json record = {
      {"type", "gossip"},
      {"step", moment.step},
      {"epoch", moment.epoch}};
  for (const gossip::Statistics& worker : workers) {
    record["gradients"].push_back(worker.gradients);
    record["averagings"].push_back(worker.averagings);
    record["staleness"].push_back(worker.staleness);
    record["staleness_most"].push_back(worker.staleness_most);
    record["wait_seconds"].push_back(worker.wait_seconds);
    record["wait_most"].push_back(worker.wait_most);
    record["pair_seconds"].push_back(worker.pair_seconds);
    record["held_seconds"].push_back(worker.held_seconds);
  }
  return record;
}

} // namespace grapevine::train
