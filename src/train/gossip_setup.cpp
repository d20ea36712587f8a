#include "train/gossip_setup.h"

#include "gossip/neighbours.h"
#include "graph/frozen.h"
#include "graph/spectrum.h"

#include <nlohmann/json.hpp>

namespace grapevine::train {

namespace {

gossip::Dynamics dynamics_of(
    const Setup& setup,
    const graph::Schedule& schedule) {
  if (!setup.spec.continuous_momentum) return gossip::plain_dynamics();
  return gossip::accelerated_dynamics(
      graph::analyse(schedule),
      setup.spec.n,
      setup.spec.rate);
}

} // namespace

gossip::Dynamics gossip_dynamics(const Setup& setup) {
  return dynamics_of(setup, *setup.schedule);
}

ChangingGraph::ChangingGraph(const Setup& setup)
    : setup_(setup),
      changes_(setup.spec.graph == "ada"),
      mixing_(setup.schedule->at({})) {}

std::optional<GossipGraph> ChangingGraph::change_at(int64_t round) {
  if (!changes_) return std::nullopt;
  auto mixing = setup_.schedule->at(setup_.moment(round));
  if (mixing == mixing_) return std::nullopt;
  mixing_ = std::move(mixing);
  const graph::Frozen now(mixing_);
  return GossipGraph{
      .neighbours = gossip::neighbours_in(now),
      .dynamics = dynamics_of(setup_, now),
      .degree = static_cast<double>(mixing_->degree())};
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
