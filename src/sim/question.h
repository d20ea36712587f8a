// What is asked of the planner.
#pragma once

#include "sim/candidates.h"
#include "sim/costs.h"

#include <cstdint>
#include <optional>

namespace grapevine::sim {

// Who moves the bytes: our own plans, or what other libraries would do, rings
// (sim/exchange.h). Rings know averages of groups only.
enum class Mover { kPlans, kRings };

struct Question {
  sim::Costs costs; // buckets as they are cut
  Choices choices = {};
  // 0: sim::default_workers_per_node.
  int workers_per_node = 0;
  // In place of the links between nodes that costs have.
  std::optional<LinkOptions> link = {};
  bool packing = false; // as in runs with --packing
  SlowOptions slow = {};
  bool after_backward = false; // clipped gradients
  Mover mover = Mover::kPlans;
  // After the warm-up, rounded up to whole periods; at most the warm-up's where
  // nothing is left to chance.
  int steps = 200;
  uint64_t seed = 1;
  int threads = 0; // that compute the answer; 0 = all cores

  // How many share a node in a run of n.
  int workers_per_node_in(int n) const;
  // The same as graphs and plans are told it: 1 where there is one node only.
  int told_workers_per_node(int n) const;
  // With the link in its place.
  sim::Costs costs_with_link() const;
  // What such links are to a run of the question's: packing makes them faster.
  sim::Costs as_used(sim::Costs given) const;
};

} // namespace grapevine::sim
