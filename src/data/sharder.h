// Who trains on which samples. A pure function of (seed, epoch, step, worker)
// and of what it was made from: the same for any transport, and the same after
// a resume. Every sample is used at most once an epoch over all workers.
//
// How the samples are dealt is the source's to say (data::Reading):
//
//   kShuffled   data/shuffled_sharder.h   every sample for itself
//   kStreams    data/stream_sharder.h     texts, read on from step to step, if
//                                         asked for; else as kShuffled
//   kByLength   data/length_sharder.h     batches of so many tokens
#pragma once

#include "data/source.h"
#include "data/split.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace grapevine::data {

// What becomes of samples that do not fill a step of all workers.
enum class PartialBatches { kDrop, kKeep };

struct ShardOptions {
  int workers = 1;
  int64_t batch = 1; // a worker's, in samples; kByLength: in tokens
  uint64_t seed = 0;
  PartialBatches partial = PartialBatches::kDrop;
  bool in_streams = false; // for models that carry state along
  // None: equal chances for all; else one of these samples for these workers.
  std::shared_ptr<const Split> split = nullptr;
};

// Throws ConfigError for workers or batch below 1.
void check(const ShardOptions& options);

class Sharder {
 public:
  virtual ~Sharder() = default;

  virtual int64_t steps_per_epoch() const = 0;
  // The samples of a worker at a step of an epoch. Thread-safe.
  virtual std::vector<int64_t> indices(int64_t epoch, int64_t step, int worker)
      const = 0;
  // Of all workers together.
  virtual int64_t samples_in_step(int64_t epoch, int64_t step) const = 0;
  // What a worker's batch of so many samples counts for at a step: 1, unless
  // the step is partial; then its share of the step's samples times n, so that
  // the mean over workers is the mean over samples.
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

} // namespace grapevine::data
