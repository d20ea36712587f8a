#include "data/sharder.h"

#include "base/check.h"
#include "base/error.h"
#include "base/random.h"

#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <mutex>
#include <numeric>
#include <utility>

namespace grapevine::data {
namespace {

// The running epoch, the next one (prefetch), and one to spare.
constexpr size_t kRememberedEpochs = 3;

void check_arguments(int64_t samples, int workers, int64_t batch) {
  GV_CHECK_GE(samples, 0);
  if (workers < 1) {
    throw ConfigError(fmt::format("{} workers: expected at least 1", workers));
  }
  if (batch < 1) {
    throw ConfigError(fmt::format("batch {}: expected at least 1", batch));
  }
}

[[noreturn]] void refuse_no_step(int64_t samples, int workers, int64_t batch) {
  if (samples == 0) throw ConfigError("no training samples, so no step");
  const auto largest_batch = samples / workers;
  throw ConfigError(fmt::format(
      "{} workers with batch {} need more than the {} training samples for "
      "one step; {}",
      workers,
      batch,
      samples,
      largest_batch > 0
          ? fmt::format(
                "the largest batch for {} workers is {}{}",
                workers,
                largest_batch,
                batch <= samples ? fmt::format(
                                       ", the most workers for batch {} are {}",
                                       batch,
                                       samples / batch)
                                 : std::string())
          : fmt::format("the most workers are {}, with batch 1", samples)));
}

} // namespace

struct Sharder::Cache {
  std::mutex mutex;
  // The most recently used first. Guarded by mutex; the permutations
  // themselves never change.
  std::list<std::pair<int64_t, std::shared_ptr<const Permutation>>> epochs;
};

Sharder::Sharder(
    int64_t samples,
    int workers,
    int64_t batch,
    uint64_t seed,
    PartialBatches partial,
    std::shared_ptr<const Split> split)
    : samples_(samples),
      workers_(workers),
      batch_(batch),
      seed_(seed),
      split_(std::move(split)),
      cache_(std::make_shared<Cache>()) {
  check_arguments(samples, workers, batch);
  if (split_) {
    GV_CHECK_EQ(split_->workers(), workers);
    GV_CHECK_EQ(static_cast<int64_t>(split_->order.size()), samples);
  }
  // Divided twice, for n * batch of a mistyped batch may overflow.
  full_steps_ = samples / workers / batch;
  const bool tail = samples > full_steps_ * workers * batch;
  steps_ = full_steps_ + (partial == PartialBatches::kKeep && tail ? 1 : 0);
  if (steps_ == 0) refuse_no_step(samples, workers, batch);
}

std::vector<int64_t> Sharder::indices(int64_t epoch, int64_t step, int worker)
    const {
  GV_CHECK_GE(epoch, 0);
  GV_CHECK(step >= 0 && step < steps_);
  GV_CHECK(worker >= 0 && worker < workers_);
  const Range mine = place(step, worker);
  const auto order = permutation(epoch);
  return {order->begin() + mine.begin, order->begin() + mine.end};
}

Range Sharder::place(int64_t step, int worker) const {
  const bool is_rest = step == full_steps_;
  if (split_) {
    const int64_t begin = split_->begins[worker] + step * batch_;
    return {begin, is_rest ? split_->begins[worker + 1] : begin + batch_};
  }
  if (is_rest) {
    const int64_t dealt = full_steps_ * workers_ * batch_;
    const int64_t rest = samples_ - dealt;
    return {
        dealt + rest * worker / workers_,
        dealt + rest * (worker + 1) / workers_};
  }
  const int64_t begin = (step * workers_ + worker) * batch_;
  return {begin, begin + batch_};
}

std::shared_ptr<const Sharder::Permutation> Sharder::permutation(
    int64_t epoch) const {
  // Held while shuffling: whoever asks for the same epoch wants to wait.
  const std::lock_guard lock(cache_->mutex);
  auto& epochs = cache_->epochs;
  const auto found =
      std::find_if(epochs.begin(), epochs.end(), [&](const auto& remembered) {
        return remembered.first == epoch;
      });
  if (found != epochs.end()) {
    epochs.splice(epochs.begin(), epochs, found);
    return epochs.front().second;
  }
  epochs.emplace_front(
      epoch,
      std::make_shared<const Permutation>(shuffled(epoch)));
  if (epochs.size() > kRememberedEpochs) epochs.pop_back();
  return epochs.front().second;
}

Sharder::Permutation Sharder::shuffled(int64_t epoch) const {
  if (!split_) {
    Permutation order(samples_);
    std::iota(order.begin(), order.end(), 0);
    Random(seed_, Purpose::kShuffle, epoch).shuffle(std::span<int64_t>(order));
    return order;
  }
  Permutation order = split_->order;
  for (int w = 0; w < workers_; ++w) {
    const int64_t begin = split_->begins[w];
    Random(seed_, Purpose::kShuffle, epoch, 1 + w)
        .shuffle(std::span<int64_t>(order).subspan(
            begin,
            split_->begins[w + 1] - begin));
  }
  return order;
}

} // namespace grapevine::data
