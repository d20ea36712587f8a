// The graph of an asynchronous run, in virtual time or in processes, and the
// constants of its averaging.
#pragma once

#include "gossip/allowance.h"
#include "gossip/dynamics.h"
#include "run/run_config.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace grapevine::run {

// The constants of the run's graph, at its beginning, and rate; ConfigError
// where it has none.
gossip::Dynamics gossip_dynamics(const RunConfig& config);

// The graph at a round.
struct GossipGraph {
  std::vector<std::vector<int>> neighbours; // of each worker
  gossip::Dynamics dynamics;
  double degree = 0;
};

// Follows the run's graph, which changes with the rounds (Ada) and with the
// workers that have ended: those that are left have a graph of their own, with
// constants of its own. Where it falls apart it has none, and those of before
// stay. One thread.
class ChangingGraph {
 public:
  explicit ChangingGraph(const RunConfig& config);

  // What holds from this round on, without those who have ended (ascending);
  // nothing while it is what held at the last call, or at the beginning. The
  // neighbours are those of the whole graph.
  std::optional<GossipGraph> change_at(
      int64_t round,
      const std::vector<int>& ended = {});

 private:
  const RunConfig& config_;
  bool changes_with_rounds_;
  std::shared_ptr<const graph::Mixing> mixing_; // that holds
  std::vector<int> ended_;
  std::optional<gossip::Dynamics> dynamics_; // none: those of the beginning
};

gossip::Averagings gossip_averagings(const RunConfig& config);

} // namespace grapevine::run
