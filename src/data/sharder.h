// Which worker trains on which samples. A pure function of (seed, epoch, step,
// worker) and of what it was made from: the same for any transport, and the
// same after a resume. Every sample is used at most once per epoch over all
// workers.
//
// The source says how its samples are dealt (data::Reading):
//
//   kShuffled   ShuffledSharder   every sample by itself
//   kStreams    StreamSharder     texts, read on from step to step, if the
//                                 model asks for it; else as kShuffled
//   kByLength   LengthSharder     batches of a given number of tokens
#pragma once

#include "base/lru_cache.h"
#include "base/range.h"
#include "data/source.h"
#include "data/split.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace grapevine::data {

// What becomes of samples that do not fill a step of all workers.
enum class PartialBatches { kDrop, kKeep };

struct ShardOptions {
  int workers = 1;
  int64_t batch = 1; // per worker, in samples; kByLength: in tokens
  uint64_t seed = 0;
  PartialBatches partial = PartialBatches::kDrop;
  bool in_streams = false; // for models that carry state along
  // Null: any worker may get any sample; else a split of these samples among
  // these workers.
  std::shared_ptr<const Split> split = nullptr;
};

// Throws ConfigError for workers or batch below 1.
void check(const ShardOptions& options);

class Sharder {
 public:
  virtual ~Sharder() = default;

  virtual int64_t steps_per_epoch() const = 0;
  // Returns the samples of a worker at a step of an epoch. Thread-safe.
  virtual std::vector<int64_t> indices(int64_t epoch, int64_t step, int worker)
      const = 0;
  // Returns the number of samples of all workers together.
  virtual int64_t samples_in_step(int64_t epoch, int64_t step) const = 0;
  // Returns the weight of a worker's batch of this many samples at a step: 1,
  // unless the step is partial; then its share of the step's samples times n,
  // so that the mean over workers is the mean over samples.
  virtual double batch_weight(int64_t /*step*/, int64_t /*samples*/) const {
    return 1;
  }
};

// Throws as check(), and ConfigError when there would be no step at all, naming
// the largest batch and n that work, and for a split or partial batches of
// samples that cannot be dealt so.
std::shared_ptr<const Sharder> make_sharder(
    const Source& source,
    const ShardOptions& options);

using Order = std::vector<int64_t>;

// The orders of the epochs that were asked for last, each made once. Any
// thread.
class EpochOrders {
 public:
  explicit EpochOrders(std::function<Order(int64_t epoch)> make)
      : make_(std::move(make)) {}

  std::shared_ptr<const Order> of(int64_t epoch) const;

 private:
  // The epoch in progress, the next one (prefetch), and one to spare.
  static constexpr size_t kCached = 3;

  std::function<Order(int64_t epoch)> make_;
  mutable std::mutex mutex_;
  // Guarded by mutex_; the orders themselves never change.
  mutable LruCache<int64_t, std::shared_ptr<const Order>> epochs_{kCached};
};

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

// Texts that are read on from step to step, so that a recurrent model can carry
// its state along. The windows of the text, in order, are cut into n * batch
// streams of equal length:
//
//   steps an epoch = floor(windows / (n * batch))
//   row b of (worker w, step s) = window ((w * batch + b) * steps + s)
//
// What does not fill a step is left out, the same in every epoch.
class StreamSharder final : public Sharder {
 public:
  StreamSharder(int64_t windows, const ShardOptions& options);

  int64_t steps_per_epoch() const override { return steps_; }
  std::vector<int64_t> indices(int64_t epoch, int64_t step, int worker)
      const override;
  int64_t samples_in_step(int64_t /*epoch*/, int64_t /*step*/) const override {
    return batch_ * workers_;
  }

 private:
  int workers_;
  int64_t batch_;
  int64_t steps_ = 0;
};

// Returns where batches begin among samples of these ascending lengths, and
// where the last one ends: each as large as LengthSharder makes it.
std::vector<int64_t> token_batches(
    std::span<const int64_t> rising_lengths,
    int64_t tokens);

// Batches of a given number of tokens from samples that differ in length.
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
// than n batches is dropped: other batches in each epoch.
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
