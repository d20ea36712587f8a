// Batches ahead of their use: threads of its own gather what the hosted workers
// will ask for next, in order, into buffers that are used again.
#pragma once

#include "data/sharder.h"
#include "data/source.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace grapevine::data {

struct LoaderOptions {
  std::vector<int> workers = {0}; // hosted here, ascending
  int64_t steps_per_epoch = 1;    // at most the sharder's
  int64_t first_step = 0;         // global; where a resumed run begins
  int64_t last_step = 0;          // global; one past the last
  // Batches gathered ahead. 0 gathers in take(), on the caller's thread.
  int prefetch = 2;
  int threads = 1;   // that gather ahead, a batch each at a time
  uint64_t seed = 0; // of what is left to chance in samples
};

class Loader {
 public:
  Loader(
      std::shared_ptr<const Source> source,
      std::shared_ptr<const Sharder> sharder,
      LoaderOptions options);
  // Waits for a gather that is under way and for calls of take() that have
  // begun (they end as usual); no call may begin from then on.
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  // The batch of a hosted worker at a global step, swapped into `batch` (its
  // old buffers are taken for later batches). Any thread, workers of a step in
  // any order; each (step, worker) at most once. What is not gathered yet, nor
  // being gathered, the caller's own thread gathers, so nobody waits for a
  // batch that has not been begun. Rethrows what the source threw.
  void take(int64_t step, int worker, Batch& batch);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace grapevine::data
