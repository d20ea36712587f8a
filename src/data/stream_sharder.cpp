#include "data/stream_sharder.h"

#include "base/check.h"
#include "base/error.h"

#include <fmt/format.h>

namespace grapevine::data {

StreamSharder::StreamSharder(int64_t windows, const ShardOptions& options)
    : workers_(options.workers),
      batch_(options.batch) {
  check(options);
  steps_ = windows / workers_ / batch_;
  if (steps_ > 0) return;
  throw ConfigError(fmt::format(
      "{} workers with batch {} read as many streams, and the text has {} "
      "windows of the context: expected a smaller n, batch or context",
      workers_,
      batch_,
      windows));
}

std::vector<int64_t>
StreamSharder::indices(int64_t epoch, int64_t step, int worker) const {
  GV_CHECK_GE(epoch, 0);
  GV_CHECK(step >= 0 && step < steps_);
  GV_CHECK(worker >= 0 && worker < workers_);
  std::vector<int64_t> windows(batch_);
  for (int64_t b = 0; b < batch_; ++b)
    windows[b] = (worker * batch_ + b) * steps_ + step;
  return windows;
}

} // namespace grapevine::data
