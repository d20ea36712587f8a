#include "mix/exchange.h"

#include "base/check.h"
#include "base/error.h"

#include <algorithm>
#include <atomic>
#include <chrono>

namespace grapevine::mix {
namespace {

using Clock = Exchange::Clock;

// How often a transport that moves data only while it is called is called
// while nothing is released. Far below the time that a chunk takes.
constexpr std::chrono::microseconds kIdle{100};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

} // namespace

std::shared_ptr<const Cut> make_cut(
    std::span<const std::vector<Range>> buckets,
    int64_t chunk_bytes) {
  static std::atomic<uint64_t> next_id{1};
  auto cut = std::make_shared<Cut>();
  cut->id = next_id++;
  const int64_t floats = std::max<int64_t>(
      chunk_bytes / static_cast<int64_t>(sizeof(float)) / kChunkMultiple *
          kChunkMultiple,
      kChunkMultiple);
  for (const std::vector<Range>& ranges : buckets) {
    for (const Range& range : ranges) {
      for (int64_t at = range.begin; at < range.end; at += floats) {
        cut->chunks.push_back({at, std::min(at + floats, range.end)});
      }
    }
    cut->bucket_end.push_back(static_cast<int64_t>(cut->chunks.size()));
  }
  return cut;
}

void Exchange::open(ExchangeSpec request) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !is_open_; });
  is_open_ = true;
  request_ = std::move(request);
  terms_count_ = 0;
  released_ = 0;
  done_ = 0;
  error_ = nullptr;
  kept_by_.assign(request_.cut->chunks.size(), {});
}

void Exchange::release(int bucket) {
  {
    const std::lock_guard lock(mutex_);
    released_ = std::max(released_, request_.cut->bucket_end[bucket]);
  }
  changed_.notify_all();
}

double Exchange::wait(int bucket) {
  const int64_t end = request_.cut->bucket_end[bucket];
  const int64_t begin = bucket == 0 ? 0 : request_.cut->bucket_end[bucket - 1];
  waited_for_ = -1;
  std::unique_lock lock(mutex_);
  throw_if_over();
  if (done_ >= end) return 0;
  const auto start = Clock::now();
  while (done_ < end) {
    changed_.wait(lock);
    throw_if_over();
  }
  PeerWait longest;
  for (int64_t c = begin; c < end; ++c) {
    if (kept_by_[c].seconds > longest.seconds) longest = kept_by_[c];
  }
  waited_for_ = longest.peer;
  return seconds_since(start);
}

tensor::MixTerms Exchange::terms() const {
  return {
      .terms = {terms_.data(), terms_count_},
      .weights = weights_,
      .scale = scale_};
}

void Exchange::begin(
    Link& link,
    const tensor::MixTerms& result,
    const Traffic& traffic) {
  GV_CHECK_LE(result.terms.size(), terms_.size());
  link_ = &link;
  busy_since_ = Clock::now();
  link.take_longest_wait();
  const std::lock_guard lock(mutex_);
  std::ranges::copy(result.terms, terms_.begin());
  terms_count_ = result.terms.size();
  weights_ = result.weights;
  scale_ = result.scale;
  traffic_ = traffic;
}

void Exchange::before(int64_t c) {
  std::unique_lock lock(mutex_);
  if (released_ > c) {
    if (c == 0) first_sent_ = Clock::now();
    return;
  }
  stop_clock();
  while (released_ <= c) {
    throw_if_over();
    lock.unlock();
    const bool polls = link_->progress();
    lock.lock();
    if (released_ > c) break;
    if (polls) {
      changed_.wait_for(lock, kIdle);
    } else {
      changed_.wait(lock);
    }
  }
  busy_since_ = Clock::now();
  if (c == 0) first_sent_ = busy_since_;
}

void Exchange::after(int64_t c) {
  const PeerWait kept_by = link_->take_longest_wait();
  {
    const std::lock_guard lock(mutex_);
    kept_by_[c] = kept_by;
    done_ = c + 1;
    last_received_ = Clock::now();
  }
  changed_.notify_all();
}

void Exchange::stop_clock() {
  busy_seconds_ = busy_seconds_ + seconds_since(busy_since_);
}

void Exchange::finish(const std::exception_ptr& error) {
  if (!error) stop_clock();
  {
    const std::lock_guard lock(mutex_);
    error_ = error;
    is_open_ = false;
  }
  changed_.notify_all();
}

void Exchange::cancel() {
  {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
  }
  changed_.notify_all();
}

void Exchange::throw_if_over() const {
  if (error_) std::rethrow_exception(error_);
  if (cancelled_) throw TransportError("the exchange was given up");
}

} // namespace grapevine::mix
