// Who trains on which samples: a permutation of all samples by (seed, epoch),
// dealt to the workers; or, with a Split, a permutation of each worker's own
// samples by (seed, epoch, worker).
//
//   steps an epoch = floor(N / (n * batch))
//   batch of (worker w, step s) = permutation[(s * n + w) * batch …]
//
// The tail of R < n * batch samples that does not fill a step of all workers
// is dropped (PartialBatches::kDrop) or, with kKeep, dealt evenly in one more,
// shorter step: worker w gets permutation[N - R + R * w / n …
// N - R + R * (w + 1) / n), which is empty for some where R < n.
//
// With a Split (data/split.h) there are as many steps, and worker w at step s
// gets its own samples from s * batch on, in the epoch's order. What does not
// fill a step is other samples in each epoch: dropped, or with kKeep each
// worker's own rest in one more step (numbers that differ by one at most).
//
// Every sample is used at most once an epoch over all workers (exactly once
// with kKeep). The result depends on (seed, epoch, N, n, batch) only: it is
// the same for any transport, and the same after a resume; without a
// Split the samples of a whole step depend on n * batch alone.
#pragma once

#include "base/range.h"
#include "data/split.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace grapevine::data {

enum class PartialBatches { kDrop, kKeep };

class Sharder {
 public:
  // Throws ConfigError when there would be no step at all, naming the largest
  // batch and n that work, and for workers or batch below 1. split: none for
  // equal chances for all, else one of these samples for these workers.
  Sharder(
      int64_t samples,
      int workers,
      int64_t batch,
      uint64_t seed,
      PartialBatches partial = PartialBatches::kDrop,
      std::shared_ptr<const Split> split = nullptr);

  int64_t steps_per_epoch() const { return steps_; }

  // The samples of a worker at a step of an epoch. Remembers the permutation
  // of the last epochs asked for; thread-safe.
  std::vector<int64_t> indices(int64_t epoch, int64_t step, int worker) const;

 private:
  using Permutation = std::vector<int64_t>;
  struct Cache;

  std::shared_ptr<const Permutation> permutation(int64_t epoch) const;
  Permutation shuffled(int64_t epoch) const;
  // Where in the permutation a worker's batch of a step lies.
  Range place(int64_t step, int worker) const;

  int64_t samples_;
  int workers_;
  int64_t batch_;
  uint64_t seed_;
  int64_t full_steps_;                 // of n * batch samples
  int64_t steps_;                      // the shorter one of kKeep too
  std::shared_ptr<const Split> split_; // null without
  std::shared_ptr<Cache> cache_;
};

} // namespace grapevine::data
