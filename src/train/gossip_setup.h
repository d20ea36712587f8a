// What a spec means to an asynchronous run, in virtual time or in processes.
#pragma once

#include "gossip/allowance.h"
#include "gossip/dynamics.h"
#include "gossip/statistics.h"
#include "train/setup.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace grapevine::train {

// The constants of the run's graph, at its beginning, and rate; ConfigError
// where it has none.
gossip::Dynamics gossip_dynamics(const Setup& setup);

// The graph at a round, where it changes with the rounds (Ada).
struct GossipGraph {
  std::vector<std::vector<int>> neighbours; // of each worker
  gossip::Dynamics dynamics;
  double degree = 0;
};

// Follows the run's graph. One thread.
class ChangingGraph {
 public:
  explicit ChangingGraph(const Setup& setup);

  // What holds from this round on; nothing while it is what held at the last
  // call, or at the beginning.
  std::optional<GossipGraph> change_at(int64_t round);

 private:
  const Setup& setup_;
  bool changes_;
  std::shared_ptr<const graph::Mixing> mixing_; // that holds
};
gossip::Averagings gossip_averagings(const Setup& setup);

// What the workers have done and waited for so far: docs/formats.md, "gossip".
nlohmann::json gossip_record(
    const graph::Moment& moment,
    const std::vector<gossip::Statistics>& workers);

// Counted for each word of the pairing; what it carries beside, too.
inline constexpr int64_t kWordBytes = 16;

} // namespace grapevine::train
