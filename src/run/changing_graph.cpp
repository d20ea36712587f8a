#include "run/changing_graph.h"

#include "gossip/neighbours.h"
#include "graph/cyclic_schedule.h"
#include "graph/graphs.h"
#include "graph/spectrum.h"

#include <algorithm>

namespace grapevine::run {

namespace {

gossip::Dynamics dynamics_of(
    const RunConfig& config,
    const graph::Schedule& schedule) {
  if (!config.spec.continuous_momentum) return gossip::plain_dynamics();
  return gossip::accelerated_dynamics(
      graph::analyse(schedule),
      schedule.n(),
      config.spec.rate);
}

// Of those that are left, numbered anew; null where they are not connected, or
// nobody has anybody to average with.
std::shared_ptr<const graph::Mixing> graph_without(
    const std::vector<int>& ended,
    const std::vector<std::vector<int>>& neighbours) {
  const int n = static_cast<int>(neighbours.size());
  std::vector<int> number(n, -1);
  int left = 0;
  for (int rank = 0; rank < n; ++rank) {
    if (!std::ranges::binary_search(ended, rank)) number[rank] = left++;
  }
  std::vector<std::vector<int>> among_left(left);
  for (int rank = 0; rank < n; ++rank) {
    if (number[rank] < 0) continue;
    for (const int other : neighbours[rank]) {
      if (number[other] < 0) continue;
      among_left[number[rank]].push_back(number[other]);
    }
  }
  const auto neighbours_of = [&](int i) { return among_left[i]; };
  if (left < 2 || graph::first_unreachable(left, neighbours_of)) {
    return nullptr;
  }
  return std::make_shared<graph::Mixing>(
      graph::Mixing::metropolis(std::move(among_left)));
}

} // namespace

gossip::Dynamics gossip_dynamics(const RunConfig& config) {
  return dynamics_of(config, *config.schedule);
}

ChangingGraph::ChangingGraph(const RunConfig& config)
    : config_(config),
      changes_with_rounds_(config.spec.graph == "ada"),
      mixing_(config.schedule->at({})) {}

std::optional<GossipGraph> ChangingGraph::change_at(
    int64_t round,
    const std::vector<int>& ended) {
  auto mixing = changes_with_rounds_
                    ? config_.schedule->at(config_.moment(round))
                    : mixing_;
  if (mixing == mixing_ && ended == ended_) return std::nullopt;
  mixing_ = std::move(mixing);
  ended_ = ended;
  const graph::CyclicSchedule now(mixing_);
  const graph::Schedule& schedule =
      changes_with_rounds_ ? now : *config_.schedule;
  auto neighbours = gossip::neighbours_in(schedule);
  const auto left = graph_without(ended_, neighbours);
  if (left && !ended_.empty()) {
    dynamics_ = dynamics_of(config_, graph::CyclicSchedule(left));
  } else if (ended_.empty() || !dynamics_) {
    dynamics_ = dynamics_of(config_, schedule);
  }
  return GossipGraph{
      .neighbours = std::move(neighbours),
      .dynamics = *dynamics_,
      .degree = static_cast<double>(mixing_->degree())};
}

gossip::Averagings gossip_averagings(const RunConfig& config) {
  return config.spec.averagings == "exact" ? gossip::Averagings::kExact
                                           : gossip::Averagings::kPoisson;
}

} // namespace grapevine::run
