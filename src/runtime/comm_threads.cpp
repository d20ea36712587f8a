#include "runtime/comm_threads.h"

#include "base/check.h"

#include <algorithm>

namespace grapevine::runtime {

CommThreads::CommThreads(int n)
    : n_(n),
      passed_(n),
      posted_(n),
      free_{std::vector<double>(n), std::vector<double>(n)},
      arrived_(n) {}

void CommThreads::post(
    const Job& job,
    int round,
    int64_t bucket,
    std::vector<double>& arrivals) {
  const auto& parts = job.exchange.rounds[round];
  const auto bytes = static_cast<double>(job.bucket_bytes[bucket]);
  // All starts first: nobody's link counts as busy with this very message.
  for (const Exchange::Part& part : parts)
    start_[part.set] = -1;
  for (const Exchange::Part& part : parts) {
    double& start = start_[part.set];
    if (start >= 0) continue;
    const auto& free = free_[part.is_inside ? 1 : 0];
    for (const int j : job.exchange.sets[part.set])
      start = std::max({start, posted_[j], free[j]});
  }
  for (const Exchange::Part& part : parts) {
    double& free = free_[part.is_inside ? 1 : 0][part.worker];
    free = start_[part.set] + part.seconds_per_byte * bytes;
    double& arrival = arrivals[part.worker];
    arrival = std::max(arrival, free + part.latency);
  }
}

void CommThreads::time_step(const Job& job, int64_t time) {
  const Exchange& exchange = job.exchange;
  const int64_t next = time + exchange.ahead;
  const int64_t ring = exchange.ahead + 1;
  posted_ = passed_;
  if (job.has(next)) {
    for (int i = 0; i < n_; ++i) {
      if (exchange.last[i] < 0) continue;
      posted_[i] = std::max(posted_[i], job.released[next][i]);
    }
    std::ranges::fill(early_[next % ring], 0.0);
    post(job, 0, next, early_[next % ring]);
  }
  arrived_ = posted_;
  const auto rounds = static_cast<int>(exchange.rounds.size());
  for (int round = 1; round < rounds; ++round) {
    if (job.has(time - round)) post(job, round, time - round, arrived_);
  }
  if (job.has(time)) {
    const std::vector<double>& early = early_[time % ring];
    for (int i = 0; i < n_; ++i)
      arrived_[i] = std::max(arrived_[i], early[i]);
  }
  passed_.swap(arrived_);
}

void CommThreads::run(
    const Exchange& exchange,
    std::span<const int64_t> bucket_bytes,
    const std::vector<std::vector<double>>& released,
    std::vector<std::vector<double>>& done) {
  GV_CHECK_EQ(exchange.n, n_);
  const Job job{exchange, bucket_bytes, released};
  done = released;
  if (exchange.rounds.empty()) return;
  start_.resize(exchange.sets.size());
  early_.resize(exchange.ahead + 1);
  for (auto& arrivals : early_)
    arrivals.resize(n_);
  // Results may be handed over a time step after the last message.
  const int64_t last = std::max<int64_t>(
      static_cast<int64_t>(exchange.rounds.size()) - 1,
      std::ranges::max(exchange.last));
  const int64_t end = last + job.buckets();
  for (int64_t time = -exchange.ahead; time < end; ++time) {
    time_step(job, time);
    for (int i = 0; i < n_; ++i) {
      const int64_t bucket = time - exchange.last[i];
      if (exchange.last[i] >= 0 && job.has(bucket)) {
        done[bucket][i] = passed_[i];
      }
    }
  }
}

std::vector<double> CommThreads::state() const {
  std::vector<double> state = passed_;
  for (const auto& free : free_)
    state.insert(state.end(), free.begin(), free.end());
  return state;
}

void CommThreads::restore(std::span<const double> state) {
  GV_CHECK_EQ(state.size(), static_cast<size_t>(n_) * kStates);
  std::ranges::copy(state.first(n_), passed_.begin());
  std::ranges::copy(state.subspan(n_, n_), free_[0].begin());
  std::ranges::copy(state.subspan(2 * n_, n_), free_[1].begin());
}

} // namespace grapevine::runtime
