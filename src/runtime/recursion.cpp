#include "runtime/recursion.h"

#include "base/check.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace grapevine::runtime {
namespace {

constexpr std::pair<Order, const char*> kNames[] = {
    {Order::kCombineWhileAdapt, "combine-while-adapt"},
    {Order::kAdaptThenCombine, "adapt-then-combine"},
    {Order::kGradientTracking, "gradient-tracking"},
    {Order::kAllReduce, "allreduce"},
};

// Agreements that move the same bytes at the same times.
constexpr std::pair<Order, const char*> kAlso[] = {
    {Order::kCombineWhileAdapt, "push-sum-overlapped"},
    {Order::kAdaptThenCombine, "push-sum"},
};

} // namespace

std::string name(Order order) {
  for (const auto& [it, text] : kNames) {
    if (it == order) return text;
  }
  return "";
}

std::optional<Order> order_of(const std::string& agreement) {
  for (const auto& [it, text] : kNames) {
    if (agreement == text) return it;
  }
  for (const auto& [it, text] : kAlso) {
    if (agreement == text) return it;
  }
  return std::nullopt;
}

Recursion::Recursion(
    int n,
    Order order,
    std::vector<int64_t> bucket_bytes,
    double update_seconds_per_byte,
    bool after_backward)
    : n_(n),
      order_(order),
      bucket_bytes_(std::move(bucket_bytes)),
      after_backward_(after_backward),
      threads_(n),
      end_(n),
      released_(bucket_bytes_.size(), std::vector<double>(n)),
      done_(released_) {
  for (const int64_t bytes : bucket_bytes_)
    update_.push_back(update_seconds_per_byte * static_cast<double>(bytes));
}

IterationTimes Recursion::advance(
    const IterationCompute& compute,
    const Exchange& exchange,
    double byte) {
  GV_CHECK_EQ(static_cast<int>(compute.forward.size()), n_);
  const double before = now();
  waited_ = 0;
  computed_ = 0;
  byte_ = byte;
  switch (order_) {
    case Order::kCombineWhileAdapt:
      combine_while_adapt(compute, exchange);
      break;
    case Order::kAdaptThenCombine:
      adapt_then_combine(compute, exchange, false);
      break;
    case Order::kGradientTracking:
      adapt_then_combine(compute, exchange, true);
      break;
    case Order::kAllReduce:
      allreduce(compute, exchange);
      break;
  }
  return {
      .seconds = now() - before,
      .waited = waited_ / n_,
      .computed = computed_ / n_};
}

double Recursion::now() const {
  return std::ranges::max(end_);
}

void Recursion::compute(int i, Work work, int bucket, double seconds) {
  const double begin = end_[i];
  computed_ += seconds;
  end_[i] += seconds;
  if (watcher_) watcher_->worked(i, work, bucket, begin, end_[i]);
}

void Recursion::wait_until(int i, double time) {
  if (time <= end_[i]) return;
  waited_ += time - end_[i];
  end_[i] = time;
}

void Recursion::wait_for(int i, int bucket) {
  tell_wait(i, bucket, end_[i]);
  wait_until(i, done_[bucket][i]);
}

void Recursion::wait_for_all(int i) {
  double begin = end_[i];
  for (int b = 0; b < buckets(); ++b) {
    tell_wait(i, b, begin);
    begin = std::max(begin, done_[b][i]);
  }
  wait_until(i, done_.back()[i]);
}

void Recursion::tell_wait(int i, int bucket, double begin) {
  const double end = done_[bucket][i];
  if (watcher_ == nullptr || end <= begin) return;
  watcher_->waited(i, bucket, threads_.kept_by(bucket, i), begin, end);
}

void Recursion::tell_exchange(int i, const Exchange& exchange) {
  if (watcher_ == nullptr || exchange.last[i] < 0) return;
  watcher_->exchanged(i, released_.front()[i], done_.back()[i]);
}

void Recursion::combine_while_adapt(
    const IterationCompute& times,
    const Exchange& exchange) {
  threads_.run(exchange, bucket_bytes_, released_, done_, byte_);
  for (int i = 0; i < n_; ++i) {
    tell_exchange(i, exchange);
    compute(i, Work::kForward, -1, times.forward[i]);
    for (int b = 0; after_backward_ && b < buckets(); ++b)
      compute(i, Work::kBackward, b, times.backward[i][b]);
    for (int b = 0; b < buckets(); ++b) {
      if (!after_backward_) {
        compute(i, Work::kBackward, b, times.backward[i][b]);
      }
      wait_for(i, b);
      compute(i, Work::kUpdate, b, update_[b]);
      released_[b][i] = end_[i];
    }
  }
}

void Recursion::adapt_then_combine(
    const IterationCompute& times,
    const Exchange& exchange,
    bool gradients_too) {
  for (int i = 0; i < n_; ++i) {
    compute(i, Work::kForward, -1, times.forward[i]);
    for (int b = 0; after_backward_ && b < buckets(); ++b)
      compute(i, Work::kBackward, b, times.backward[i][b]);
    for (int b = 0; b < buckets(); ++b) {
      if (!after_backward_) {
        compute(i, Work::kBackward, b, times.backward[i][b]);
      }
      compute(i, Work::kUpdate, b, update_[b]);
      released_[b][i] = end_[i];
    }
  }
  threads_.run(exchange, bucket_bytes_, released_, done_, byte_);
  if (gradients_too) {
    for (int i = 0; i < n_; ++i)
      tell_exchange(i, exchange);
    std::ranges::fill(released_, end_);
    threads_.run(exchange, bucket_bytes_, released_, done_, byte_);
  }
  for (int i = 0; i < n_; ++i) {
    tell_exchange(i, exchange);
    wait_for_all(i);
  }
}

void Recursion::allreduce(
    const IterationCompute& times,
    const Exchange& exchange) {
  for (int i = 0; i < n_; ++i) {
    compute(i, Work::kForward, -1, times.forward[i]);
    for (int b = 0; b < buckets(); ++b) {
      compute(i, Work::kBackward, b, times.backward[i][b]);
      released_[b][i] = end_[i];
    }
  }
  threads_.run(exchange, bucket_bytes_, released_, done_, byte_);
  for (int i = 0; i < n_; ++i) {
    // The norm that clips is that of the averaged gradient.
    tell_exchange(i, exchange);
    if (after_backward_) wait_for_all(i);
    for (int b = 0; b < buckets(); ++b) {
      wait_for(i, b);
      compute(i, Work::kUpdate, b, update_[b]);
    }
  }
}

std::vector<double> Recursion::state() const {
  std::vector<double> state = end_;
  const std::vector<double> threads = threads_.state();
  state.insert(state.end(), threads.begin(), threads.end());
  // Only combine-while-adapt looks at them again.
  if (order_ == Order::kCombineWhileAdapt) {
    for (const auto& released : released_)
      state.insert(state.end(), released.begin(), released.end());
  }
  return state;
}

bool Recursion::has_moved_evenly(std::span<const double> before) const {
  constexpr double kRounding = 1e-12;
  const std::vector<double> after = state();
  GV_CHECK_EQ(before.size(), after.size());
  // Ends come first.
  const double moved = after[0] - before[0];
  const double earliest = std::ranges::min(before.first(n_));
  const double rounding = kRounding * now();
  for (size_t i = 0; i < after.size(); ++i) {
    const bool is_even = std::abs(after[i] - before[i] - moved) <= rounding;
    const bool is_past = after[i] == before[i] && after[i] <= earliest;
    if (!is_even && !is_past) return false;
  }
  return true;
}

void Recursion::restore(std::span<const double> state) {
  GV_CHECK_EQ(state.size(), this->state().size());
  const auto take = [&](size_t count) {
    const auto part = state.first(count);
    state = state.subspan(count);
    return part;
  };
  std::ranges::copy(take(n_), end_.begin());
  threads_.restore(take(static_cast<size_t>(n_) * CommThreads::kStates));
  if (order_ != Order::kCombineWhileAdapt) return;
  for (auto& released : released_)
    std::ranges::copy(take(n_), released.begin());
}

} // namespace grapevine::runtime
