// The runtime model of one run: costs, agreement, stragglers; advanced step by
// step with the plan of each.
//
// Beside the run as it is goes a second one in which everybody computes in the
// mean time of all. What the first takes longer is the loss to stragglers; the
// waits of the second are what communication alone costs:
//
//   seconds = compute and update + exposed + straggler
//
// over many steps (in a single one they need not add up).
#pragma once

#include "algo/agreement.h"
#include "base/lru_cache.h"
#include "mix/plan.h"
#include "sim/compute_times.h"
#include "sim/exchange.h"
#include "sim/recursion.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace grapevine::sim {

struct ModelOptions {
  int n = 1;
  int workers_per_node = 1;
  const algo::Agreement* agreement =
      &algo::find_agreement(algo::kDefaultAgreement);
  bool after_backward = false; // clipping: see Recursion
  SlowOptions slow = {};
  uint64_t seed = 1;
};

// Of one step, or of many added up; seconds.
struct StepTimes {
  double seconds = 0;   // by how much the last worker's end has moved
  double compute = 0;   // forward, backward and update, mean over workers
  double exposed = 0;   // waits for exchanges, if all computed alike
  double straggler = 0; // what differences between workers and steps cost
  double waited = 0;    // waits as they were, for bytes and for stragglers

  StepTimes& operator+=(const StepTimes& other);
};
StepTimes operator/(const StepTimes& sum, double count);

// One thread at a time.
class RuntimeModel {
 public:
  // ConfigError where the network lacks a level (sim/network.h).
  RuntimeModel(const Costs& costs, ModelOptions options);

  // What the plan costs on this network; remembered by plan.
  std::shared_ptr<const Exchange> exchange_of(const mix::Plan& plan);

  StepTimes advance(int64_t step, const mix::Plan& plan);
  // byte: see CommThreads::run.
  StepTimes advance(int64_t step, const Exchange& exchange, double byte = 1);
  // Without the second run: seconds.
  double advance_alone(int64_t step, const Exchange& exchange, double byte = 1);

  // Who is told what happens in the steps to come; borrowed, or null.
  void watch(Watcher* watcher) { actual_.watch(watcher); }

  // When the last worker ended the last step; when each did.
  double now() const { return actual_.now(); }
  std::span<const double> ends() const { return actual_.ends(); }

  const Network& network() const { return network_; }

  std::vector<double> state() const;
  // CheckFailure where it is of another model.
  void restore(std::span<const double> state);
  // As Recursion has it, of both runs.
  bool has_moved_evenly(std::span<const double> since) const;

 private:
  ModelOptions options_;
  Network network_;
  ComputeTimes times_;
  Recursion actual_;
  Recursion even_; // everybody at the mean
  // By the plan's id.
  LruCache<uint64_t, std::shared_ptr<const Exchange>> exchanges_{256};
};

} // namespace grapevine::sim
