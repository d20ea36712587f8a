#include "sim/recursion.h"

#include "base/check.h"

#include <algorithm>
#include <cmath>

namespace grapevine::sim {

using What = algo::Stage::What;

Recursion::Recursion(
    int n,
    const algo::Agreement& agreement,
    std::vector<int64_t> bucket_bytes,
    double update_seconds_per_byte,
    bool after_backward)
    : n_(n),
      agreement_(&agreement),
      ready_stages_(agreement.ready_stages()),
      late_passes_(agreement.late_passes()),
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
  const bool ahead = agreement_->sends_ahead();
  if (ahead) run_exchange(exchange);
  for (int i = 0; i < n_; ++i) {
    if (ahead) tell_exchange(i, exchange);
    run_ready(i, compute);
  }
  if (!ahead) run_exchange(exchange);
  run_late(exchange);
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

void Recursion::run_exchange(const Exchange& exchange) {
  threads_.run(exchange, bucket_bytes_, released_, done_, byte_);
}

void Recursion::run_ready(int i, const IterationCompute& times) {
  const bool backward_first =
      after_backward_ && algo::contains(ready_stages_, What::kUpdate);
  compute(i, Work::kForward, -1, times.forward[i]);
  for (int b = 0; backward_first && b < buckets(); ++b)
    compute(i, Work::kBackward, b, times.backward[i][b]);
  for (int b = 0; b < buckets(); ++b) {
    if (!backward_first) compute(i, Work::kBackward, b, times.backward[i][b]);
    for (const algo::Stage& stage : ready_stages_) {
      if (stage.what == What::kWait) wait_for(i, b);
      if (stage.what == What::kUpdate) compute(i, Work::kUpdate, b, update_[b]);
      if (stage.what == What::kSend) released_[b][i] = end_[i];
    }
  }
}

void Recursion::run_late(const Exchange& exchange) {
  for (size_t p = 0; p < late_passes_.size(); ++p) {
    const auto pass = late_passes_[p];
    if (pass.front().what == What::kSend) {
      for (int i = 0; i < n_; ++i)
        tell_exchange(i, exchange);
      std::ranges::fill(released_, end_);
      run_exchange(exchange);
      continue;
    }
    // Exchanges end in the order in which they began, so of two waits one after
    // the other the second counts.
    const bool updates = algo::contains(pass, What::kUpdate);
    const bool is_last = p + 1 == late_passes_.size();
    if (!updates && !is_last) continue;
    for (int i = 0; i < n_; ++i) {
      tell_exchange(i, exchange);
      finish(i, updates);
    }
  }
}

void Recursion::finish(int i, bool updates) {
  // The norm that clips is that of the averaged gradient.
  if (!updates || after_backward_) wait_for_all(i);
  for (int b = 0; updates && b < buckets(); ++b) {
    wait_for(i, b);
    compute(i, Work::kUpdate, b, update_[b]);
  }
}

std::vector<double> Recursion::state() const {
  std::vector<double> state = end_;
  const std::vector<double> threads = threads_.state();
  state.insert(state.end(), threads.begin(), threads.end());
  // Only an exchange that is sent ahead looks at them again.
  if (agreement_->sends_ahead()) {
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
  if (!agreement_->sends_ahead()) return;
  for (auto& released : released_)
    std::ranges::copy(take(n_), released.begin());
}

} // namespace grapevine::sim
