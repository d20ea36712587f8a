#include "runtime/comm_threads.h"

#include "base/check.h"

#include <algorithm>

namespace grapevine::runtime {

CommThreads::CommThreads(int n)
    : n_(n),
      passed_(n),
      posted_(n),
      free_{std::vector<double>(n), std::vector<double>(n)} {}

std::vector<double>&
CommThreads::arrivals(const Job& job, int round, int64_t bucket) {
  return arrivals_[round][bucket % (job.exchange.ahead[round] + 1)];
}

void CommThreads::post(const Job& job, int round, int64_t bucket) {
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
  std::vector<double>& arrived = arrivals(job, round, bucket);
  for (const Exchange::Part& part : parts) {
    double& free = free_[part.is_inside ? 1 : 0][part.worker];
    free = start_[part.set] + part.seconds_per_byte * bytes;
    arrived[part.worker] = free + part.latency;
  }
}

void CommThreads::await(const Job& job, int round, int64_t bucket) {
  const std::vector<double>& arrived = arrivals(job, round, bucket);
  for (const Exchange::Part& part : job.exchange.rounds[round]) {
    double& passed = passed_[part.worker];
    passed = std::max(passed, arrived[part.worker]);
  }
}

void CommThreads::time_step(const Job& job, int64_t time) {
  const Exchange& exchange = job.exchange;
  const auto rounds = static_cast<int>(exchange.rounds.size());
  posted_ = passed_;
  for (int round = 1; round < rounds; ++round) {
    const int64_t bucket = time + exchange.ahead[round] - round;
    if (job.has(bucket)) post(job, round, bucket);
  }
  const int64_t next = time + exchange.ahead[0];
  if (job.has(next)) {
    for (int i = 0; i < n_; ++i) {
      if (exchange.last[i] < 0) continue;
      posted_[i] = std::max(posted_[i], job.released[next][i]);
    }
    post(job, 0, next);
  }
  passed_ = posted_;
  for (int round = 0; round < rounds; ++round) {
    if (job.has(time - round)) await(job, round, time - round);
  }
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
  arrivals_.resize(exchange.rounds.size());
  for (size_t round = 0; round < arrivals_.size(); ++round) {
    arrivals_[round].resize(exchange.ahead[round] + 1);
    for (auto& arrived : arrivals_[round])
      arrived.resize(n_);
  }
  // Results may be handed over a time step after the last message.
  const int64_t last = std::max<int64_t>(
      static_cast<int64_t>(exchange.rounds.size()) - 1,
      std::ranges::max(exchange.last));
  const int64_t end = last + job.buckets();
  for (int64_t time = -exchange.ahead[0]; time < end; ++time) {
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
