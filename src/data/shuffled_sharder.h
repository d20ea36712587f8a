// A permutation of all samples by (seed, epoch), dealt to the workers; or, with
// a Split, a permutation of each worker's own samples by (seed, epoch, worker).
//
//   steps an epoch = floor(N / (n * batch))
//   batch of (worker w, step s) = permutation[(s * n + w) * batch …]
//
// The tail of R < n * batch samples that does not fill a step of all workers
// is dropped (PartialBatches::kDrop) or, with kKeep, dealt evenly in one more,
// shorter step: worker w gets permutation[N - R + R * w / n …
// N - R + R * (w + 1) / n), which is empty for some where R < n.
//
// With a Split (data/split.h) worker w at step s gets its own samples from
// s * batch on, in the epoch's order, and
//
//   steps an epoch = floor(samples of the worker with fewest / batch),
//
// which is the same number where the split is even. What does not fill a step
// is other samples in each epoch: dropped, or with kKeep each worker's own rest
// in one more step. kKeep is for even splits only (numbers that differ by one
// at most); another is a bug of the caller.
//
// Every sample is used exactly once an epoch with kKeep. Without a Split the
// samples of a whole step depend on n * batch alone.
#pragma once

#include "base/range.h"
#include "data/epoch_orders.h"
#include "data/sharder.h"

#include <memory>

namespace grapevine::data {

class ShuffledSharder final : public Sharder {
 public:
  ShuffledSharder(int64_t samples, const ShardOptions& options);

  int64_t steps_per_epoch() const override { return steps_; }
  std::vector<int64_t> indices(int64_t epoch, int64_t step, int worker)
      const override;
  int64_t samples_in_step(int64_t epoch, int64_t step) const override;
  double batch_weight(int64_t step, int64_t samples) const override;

 private:
  Order shuffled(int64_t epoch) const;
  // Where in the permutation a worker's batch of a step lies.
  Range place(int64_t step, int worker) const;

  int64_t samples_;
  ShardOptions options_;
  int64_t full_steps_; // of n * batch samples
  int64_t steps_;      // the shorter one of kKeep too
  EpochOrders orders_;
};

} // namespace grapevine::data
