#include "data/sharder.h"

#include "base/check.h"
#include "base/error.h"
#include "base/random.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace grapevine::data {
namespace {

// Of what only samples for themselves can be.
void check_plain(const ShardOptions& options, const std::string& how) {
  if (options.split) {
    throw ConfigError(fmt::format("split: {}, so iid is the only one", how));
  }
  if (options.partial == PartialBatches::kKeep) {
    throw ConfigError(fmt::format("partial keep: {}", how));
  }
}

} // namespace

void check(const ShardOptions& options) {
  if (options.workers < 1) {
    throw ConfigError(
        fmt::format("{} workers: expected at least 1", options.workers));
  }
  if (options.batch < 1) {
    throw ConfigError(
        fmt::format("batch {}: expected at least 1", options.batch));
  }
}

std::shared_ptr<const Sharder> make_sharder(
    const Source& source,
    const ShardOptions& options) {
  if (options.in_streams && source.reading() == Reading::kStreams) {
    check_plain(options, "these data are read in streams of equal length");
    return std::make_shared<StreamSharder>(source.size(), options);
  }
  if (source.reading() == Reading::kByLength) {
    check_plain(options, "these data are dealt in batches of like lengths");
    return std::make_shared<LengthSharder>(source.lengths(), options);
  }
  return std::make_shared<ShuffledSharder>(source.size(), options);
}

std::shared_ptr<const Order> EpochOrders::of(int64_t epoch) const {
  // Held while it is made: another thread that asks for this epoch waits.
  const std::lock_guard lock(mutex_);
  return epochs_.get(epoch, [&] {
    return std::make_shared<const Order>(make_(epoch));
  });
}

namespace {

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

ShuffledSharder::ShuffledSharder(int64_t samples, const ShardOptions& options)
    : samples_(samples),
      options_(options),
      orders_([this](int64_t epoch) { return shuffled(epoch); }) {
  check(options);
  GV_CHECK_GE(samples, 0);
  if (options_.split) {
    GV_CHECK_EQ(options_.split->workers(), options_.workers);
    GV_CHECK_EQ(static_cast<int64_t>(options_.split->order.size()), samples);
    GV_CHECK(
        options_.partial == PartialBatches::kDrop ||
        options_.split->most() - options_.split->fewest() <= 1);
  }
  const int workers = options_.workers;
  // Divided twice, for n * batch of a mistyped batch may overflow.
  full_steps_ =
      (options_.split ? options_.split->fewest() : samples / workers) /
      options_.batch;
  const bool tail = samples > full_steps_ * workers * options_.batch;
  const bool keeps = options_.partial == PartialBatches::kKeep;
  steps_ = full_steps_ + (keeps && tail ? 1 : 0);
  if (steps_ > 0) return;
  if (options_.split && samples / workers >= options_.batch) {
    throw ConfigError(fmt::format(
        "batch {}: by this split the worker with fewest samples has {} of the "
        "{}, so that is the largest batch",
        options_.batch,
        options_.split->fewest(),
        samples));
  }
  refuse_no_step(samples, workers, options_.batch);
}

std::vector<int64_t>
ShuffledSharder::indices(int64_t epoch, int64_t step, int worker) const {
  GV_CHECK_GE(epoch, 0);
  GV_CHECK(step >= 0 && step < steps_);
  GV_CHECK(worker >= 0 && worker < options_.workers);
  const Range mine = place(step, worker);
  const auto order = orders_.of(epoch);
  return {order->begin() + mine.begin, order->begin() + mine.end};
}

int64_t ShuffledSharder::samples_in_step(int64_t /*epoch*/, int64_t step)
    const {
  if (step < full_steps_) return options_.batch * options_.workers;
  return samples_ - full_steps_ * options_.workers * options_.batch;
}

double ShuffledSharder::batch_weight(int64_t step, int64_t samples) const {
  if (step < full_steps_) return 1;
  return static_cast<double>(samples * options_.workers) /
         static_cast<double>(samples_in_step(0, step));
}

Range ShuffledSharder::place(int64_t step, int worker) const {
  const bool is_rest = step == full_steps_;
  const int64_t batch = options_.batch;
  if (options_.split) {
    const auto& begins = options_.split->begins;
    const int64_t begin = begins[worker] + step * batch;
    return {begin, is_rest ? begins[worker + 1] : begin + batch};
  }
  const int workers = options_.workers;
  if (is_rest) {
    const int64_t dealt = full_steps_ * workers * batch;
    const int64_t rest = samples_ - dealt;
    return {
        dealt + rest * worker / workers,
        dealt + rest * (worker + 1) / workers};
  }
  const int64_t begin = (step * workers + worker) * batch;
  return {begin, begin + batch};
}

Order ShuffledSharder::shuffled(int64_t epoch) const {
  if (!options_.split) {
    Order order(samples_);
    std::iota(order.begin(), order.end(), 0);
    Random(options_.seed, Purpose::kShuffle, epoch)
        .shuffle(std::span<int64_t>(order));
    return order;
  }
  Order order = options_.split->order;
  const auto& begins = options_.split->begins;
  for (int w = 0; w < options_.workers; ++w) {
    Random(options_.seed, Purpose::kShuffle, epoch, 1 + w)
        .shuffle(std::span<int64_t>(order).subspan(
            begins[w],
            begins[w + 1] - begins[w]));
  }
  return order;
}

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
