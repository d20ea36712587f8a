// What asynchronous workers get done in a time: a run of
// sim/virtual_gossip.h on the cluster that costs describe, without values.
//
// An iteration is one gradient per worker in the mean; fast workers do more. A
// run whose links cannot carry the averagings that it asks for averages less
// instead of taking longer. To be comparable with the others, it is given the
// time here in which it would get as many as over links that cost nothing.
#pragma once

#include "graph/schedule.h"
#include "graph/spectrum.h"
#include "sim/model.h"

#include <vector>

namespace grapevine::sim {

struct GossipForecast {
  // Of an iteration: `compute` is the mean of all gradients, of which fast
  // workers do more, and `exposed` what the averagings take beyond that.
  StepTimes times;
  // Per worker, for each of its gradients.
  double averagings = 0;
  double words = 0; // control messages
};

// Of one graph, for any links. Computes in the constructor what does not depend
// on them: no gradient waits for a link.
class GossipForecaster {
 public:
  // rate: averagings that a worker asks for with each gradient, > 0. Means are
  // taken over `steps` iterations, more if averagings are rare, fewer if n is
  // large.
  // ConfigError as times_on has it, and if a gradient takes no time.
  GossipForecaster(
      const graph::Schedule& schedule,
      const Costs& costs,
      const ModelOptions& options,
      double rate,
      int steps);

  // The costs are those of the constructor but for the links.
  GossipForecast forecast(const Costs& costs) const;

 private:
  std::vector<std::vector<int>> neighbours_;
  ModelOptions options_;
  double rate_;
  int steps_;
  // Over links that cost nothing:
  double wanted_;  // averagings per gradient
  double seconds_; // of an iteration
  double compute_; // of a gradient
};

// Iterations in which A2CiD2's averagings, `rate` per gradient, make the
// replicas' disagreement ten times smaller: from chi1 and chi2
// (gossip/dynamics.h), with constants that were measured (docs/plan.md).
// Infinite if the graph is not connected.
double
gossip_steps_to_agree(const graph::Spectrum& spectrum, int n, double rate = 1);

} // namespace grapevine::sim
