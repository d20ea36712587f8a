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
#include "sim/costs.h"
#include "sim/exchange.h"
#include "sim/recursion.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace grapevine::sim {

// The compute times of every iteration of n workers: drawn from what was
// measured, slowed down as asked.
//
// Of W measured workers, worker i at step t has the step of the measurement
// that Random(seed, kCompute, i / W, t) picks, times slow_factor(i, t)
// (base/link_options.h). Workers that were measured together have a step
// that they did together: what they take from each other on a shared machine
// is in it. So all of it repeats, and (seed, rank, step) alone determine it.
class ComputeTimes {
 public:
  // Copies what it needs.
  ComputeTimes(Compute compute, int n, uint64_t seed, SlowOptions slow);

  IterationCompute at(int64_t step) const;
  // Forward and backward of one worker at one step.
  double seconds(int worker, int64_t step) const;
  // Everybody at the mean over all workers and steps, slow ones included.
  const IterationCompute& mean() const { return mean_; }

 private:
  // What the worker computes at this step, and how many times slower.
  struct Drawn {
    const ComputeSample& sample;
    double factor;
  };
  Drawn draw(int worker, int64_t step) const;
  void find_mean();

  Compute compute_;
  int n_;
  uint64_t seed_;
  SlowOptions slow_;
  IterationCompute mean_;
};

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
