// Texts that are read on from step to step, so that a recurrent model can carry
// its state along. The windows of the text, in order, are cut into n * batch
// streams of equal length:
//
//   steps an epoch = floor(windows / (n * batch))
//   row b of (worker w, step s) = window ((w * batch + b) * steps + s)
//
// What does not fill a step is left out, the same in every epoch.
#pragma once

#include "data/sharder.h"

namespace grapevine::data {

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

} // namespace grapevine::data
