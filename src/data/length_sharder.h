// Batches of so many tokens from samples that differ in length.
//
// The samples, sorted by length (of equal length: shuffled by the seed), are
// cut into batches as large as they can be while
//
//   samples of the batch * its longest sample <= tokens
//
// (one sample at least), so that little is padding. The batches stay the same;
// their order is a permutation by (seed, epoch), and
//
//   steps an epoch = floor(batches / n)
//   batch of (worker w, step s) = batches[permutation[s * n + w]]
//
// Every batch counts the same, however many samples it has. The tail of fewer
// than n batches is dropped: others in each epoch.
#pragma once

#include "data/epoch_orders.h"
#include "data/sharder.h"

#include <span>

namespace grapevine::data {

// Where batches begin among samples of these lengths, which rise, and where the
// last one ends: each as large as above, one sample at least.
std::vector<int64_t> token_batches(
    std::span<const int64_t> rising_lengths,
    int64_t tokens);

class LengthSharder final : public Sharder {
 public:
  LengthSharder(std::span<const int64_t> lengths, const ShardOptions& options);

  int64_t steps_per_epoch() const override { return steps_; }
  std::vector<int64_t> indices(int64_t epoch, int64_t step, int worker)
      const override;
  int64_t samples_in_step(int64_t epoch, int64_t step) const override;

 private:
  int64_t batches() const { return static_cast<int64_t>(begins_.size()) - 1; }
  int64_t batch_at(int64_t epoch, int64_t step, int worker) const;

  int workers_;
  uint64_t seed_;
  std::vector<int64_t> samples_; // by length
  std::vector<int64_t> begins_;  // of the batches among them, and the end
  int64_t steps_ = 0;
  EpochOrders orders_;
};

} // namespace grapevine::data
