#include "mix/thread_exchange.h"

#include "base/check.h"
#include "base/error.h"

#include <algorithm>
#include <chrono>

namespace grapevine::mix {
namespace {

// How often a transport that moves data only while it is called is called
// while nothing is released. Far below the time that a chunk takes.
constexpr std::chrono::microseconds kIdle{100};

} // namespace

void ThreadExchange::open(ExchangeSpec spec) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !is_running_; });
  is_running_ = true;
  open_with(std::move(spec));
  terms_count_ = 0;
  released_ = 0;
  done_ = 0;
  error_ = nullptr;
  kept_by_.assign(spec_.cut->chunks.size(), {});
}

void ThreadExchange::release(int /*index*/, int bucket) {
  {
    const std::lock_guard lock(mutex_);
    released_ = std::max(released_, spec_.cut->bucket_end[bucket]);
  }
  changed_.notify_all();
}

PeerWait ThreadExchange::wait_for(int bucket) {
  const int64_t end = spec_.cut->bucket_end[bucket];
  const int64_t begin = bucket == 0 ? 0 : spec_.cut->bucket_end[bucket - 1];
  std::unique_lock lock(mutex_);
  throw_if_over();
  if (done_ >= end) return {};
  const auto start = Clock::now();
  while (done_ < end) {
    changed_.wait(lock);
    throw_if_over();
  }
  PeerWait longest;
  for (int64_t c = begin; c < end; ++c) {
    if (kept_by_[c].seconds > longest.seconds) longest = kept_by_[c];
  }
  return {longest.peer, seconds_since(start)};
}

tensor::MixTerms ThreadExchange::terms() const {
  return {
      .terms = {terms_.data(), terms_count_},
      .weights = weights_,
      .scale = scale_};
}

void ThreadExchange::begin(
    const tensor::MixTerms& result,
    const Traffic& traffic) {
  GV_CHECK_LE(result.terms.size(), terms_.size());
  busy_since_ = Clock::now();
  communicator_.take_longest_wait();
  const std::lock_guard lock(mutex_);
  std::ranges::copy(result.terms, terms_.begin());
  terms_count_ = result.terms.size();
  weights_ = result.weights;
  scale_ = result.scale;
  traffic_ = traffic;
}

void ThreadExchange::before(int64_t c) {
  std::unique_lock lock(mutex_);
  if (released_ > c) {
    if (c == 0) first_sent_ = Clock::now();
    return;
  }
  stop_clock();
  while (released_ <= c) {
    throw_if_over();
    lock.unlock();
    const bool polls = communicator_.progress();
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

void ThreadExchange::after(int64_t c) {
  const PeerWait kept_by = communicator_.take_longest_wait();
  {
    const std::lock_guard lock(mutex_);
    kept_by_[c] = kept_by;
    done_ = c + 1;
    last_received_ = Clock::now();
  }
  changed_.notify_all();
}

void ThreadExchange::stop_clock() {
  busy_seconds_ = busy_seconds_ + seconds_since(busy_since_);
}

void ThreadExchange::end(const std::exception_ptr& error) {
  if (!error) stop_clock();
  {
    const std::lock_guard lock(mutex_);
    error_ = error;
    is_running_ = false;
  }
  changed_.notify_all();
}

void ThreadExchange::cancel() {
  {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
  }
  changed_.notify_all();
}

void ThreadExchange::throw_if_over() const {
  if (error_) std::rethrow_exception(error_);
  if (cancelled_) throw TransportError("the exchange was given up");
}

} // namespace grapevine::mix
