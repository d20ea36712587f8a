#include "data/length_sharder.h"

#include "base/check.h"
#include "base/error.h"
#include "base/random.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace grapevine::data {

std::vector<int64_t> token_batches(
    std::span<const int64_t> rising_lengths,
    int64_t tokens) {
  std::vector<int64_t> begins = {0};
  const auto count = static_cast<int64_t>(rising_lengths.size());
  for (int64_t end = 1; end <= count; ++end) {
    const bool is_full =
        end == count ||
        (end + 1 - begins.back()) * rising_lengths[end] > tokens;
    if (is_full) begins.push_back(end);
  }
  return begins;
}

LengthSharder::LengthSharder(
    std::span<const int64_t> lengths,
    const ShardOptions& options)
    : workers_(options.workers),
      seed_(options.seed),
      samples_(lengths.size()),
      orders_([this](int64_t epoch) {
        Order order(batches());
        std::iota(order.begin(), order.end(), 0);
        Random(seed_, Purpose::kShuffle, epoch)
            .shuffle(std::span<int64_t>(order));
        return order;
      }) {
  check(options);
  std::iota(samples_.begin(), samples_.end(), 0);
  // Of no epoch: those begin at 0.
  Random(seed_, Purpose::kShuffle, ~uint64_t{0})
      .shuffle(std::span<int64_t>(samples_));
  std::ranges::stable_sort(samples_, {}, [&](int64_t s) { return lengths[s]; });
  std::vector<int64_t> rising(samples_.size());
  std::ranges::transform(samples_, rising.begin(), [&](int64_t sample) {
    return lengths[sample];
  });
  begins_ = token_batches(rising, options.batch);
  steps_ = batches() / workers_;
  if (steps_ > 0) return;
  throw ConfigError(fmt::format(
      "{} workers with batches of {} tokens need more than the {} batches that "
      "the training set makes: expected a smaller n or batch",
      workers_,
      options.batch,
      batches()));
}

int64_t LengthSharder::batch_at(int64_t epoch, int64_t step, int worker) const {
  GV_CHECK_GE(epoch, 0);
  GV_CHECK(step >= 0 && step < steps_);
  GV_CHECK(worker >= 0 && worker < workers_);
  return (*orders_.of(epoch))[step * workers_ + worker];
}

std::vector<int64_t>
LengthSharder::indices(int64_t epoch, int64_t step, int worker) const {
  const int64_t batch = batch_at(epoch, step, worker);
  return {
      samples_.begin() + begins_[batch],
      samples_.begin() + begins_[batch + 1]};
}

int64_t LengthSharder::samples_in_step(int64_t epoch, int64_t step) const {
  int64_t samples = 0;
  for (int worker = 0; worker < workers_; ++worker) {
    const int64_t batch = batch_at(epoch, step, worker);
    samples += begins_[batch + 1] - begins_[batch];
  }
  return samples;
}

} // namespace grapevine::data
