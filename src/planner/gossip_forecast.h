// What asynchronous workers get done in a time: a run of
// gossip/virtual_gossip.h on the cluster that costs describe, without values.
//
// An iteration is one gradient a worker, in the mean: fast workers do more. A
// run whose links cannot carry the averagings that it asks for averages less
// instead of taking longer. To be comparable with the others, it is given the
// time here in which it would get as many as over links that cost nothing.
#pragma once

#include "gossip/virtual_times.h"
#include "graph/schedule.h"
#include "graph/spectrum.h"
#include "runtime/model.h"

#include <vector>

namespace grapevine::planner {

struct GossipForecast {
  // Of an iteration: `compute` is the mean of all gradients, of which fast
  // workers do more, and `exposed` what the averagings take beyond that.
  runtime::StepTimes times;
  // A worker's, for each of its gradients.
  double averagings = 0;
  double words = 0;
};

// Of one graph, at rate 1, for any links. Computes in the constructor what does
// not depend on them.
class GossipForecaster {
 public:
  // ConfigError as gossip::times_on has it. Means are taken over `steps`
  // iterations, or fewer where n is large.
  GossipForecaster(
      const graph::Schedule& schedule,
      const runtime::Costs& costs,
      const gossip::TimedCluster& cluster,
      int steps);

  GossipForecast forecast(const runtime::Costs& costs) const;

 private:
  std::vector<std::vector<int>> neighbours_;
  gossip::TimedCluster cluster_;
  int steps_;
  double wanted_; // averagings a gradient, over links that cost nothing
};

// Iterations in which A2CiD2's averagings, one a gradient, make the replicas'
// disagreement ten times smaller: from chi1 and chi2 (gossip/dynamics.h), with
// the constant that rings were measured to have.
double gossip_steps_to_agree(const graph::Spectrum& spectrum);

} // namespace grapevine::planner
