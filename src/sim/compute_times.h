// The compute times of every iteration of n workers: drawn from what was
// measured, slowed down as asked.
//
// Of W measured workers, worker i at step t has the step of the measurement
// that Random(seed, kCompute, i / W, t) picks, times slow_factor(i, t)
// (base/link_options.h). Workers that were measured together have a step
// that they did together: what they take from each other on a shared machine
// is in it. So all of it repeats, and whoever knows (seed, rank, step) has the
// same.
#pragma once

#include "sim/costs.h"
#include "sim/recursion.h"

#include <cstdint>

namespace grapevine::sim {

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

} // namespace grapevine::sim
