#include "sim/comm_threads.h"

#include "base/check.h"

#include <algorithm>
#include <numeric>

namespace grapevine::sim {
namespace {

// Seconds: who is later by less came at the same time, but for rounding.
constexpr double kSameTime = 1e-9;

} // namespace

CommThreads::CommThreads(int n)
    : n_(n),
      passed_(n),
      posted_(n),
      free_{std::vector<double>(n), std::vector<double>(n)},
      ranks_(n) {
  std::iota(ranks_.begin(), ranks_.end(), 0);
}

std::vector<CommThreads::Arrival>&
CommThreads::arrivals(const Job& job, int round, int64_t bucket) {
  return arrivals_[round][bucket % (job.exchange.ahead[round] + 1)];
}

void CommThreads::post(const Job& job, int round, int64_t bucket) {
  const auto& parts = job.exchange.rounds[round];
  const double bytes = job.byte * static_cast<double>(job.bucket_bytes[bucket]);
  // All starts first: nobody's link counts as busy with this very message.
  for (const Exchange::Part& part : parts)
    start_[part.set] = {};
  for (const Exchange::Part& part : parts) {
    Start& start = start_[part.set];
    if (start.time >= 0) continue;
    const auto& free = free_[part.is_inside ? 1 : 0];
    for (const int j : job.exchange.sets[part.set]) {
      const double ready = std::max(posted_[j], free[j]);
      if (ready > start.time) start = {.time = ready, .worker = j};
    }
  }
  std::vector<Arrival>& arrived = arrivals(job, round, bucket);
  for (const Exchange::Part& part : parts) {
    double& free = free_[part.is_inside ? 1 : 0][part.worker];
    const Keeper keeper = keeper_of(part, free);
    line_by_[part.is_inside ? 1 : 0][part.worker] = keeper;
    free = start_[part.set].time + part.seconds_per_byte * bytes;
    arrived[part.worker] = {.time = free + part.latency, .keeper = keeper};
  }
}

CommThreads::Keeper CommThreads::keeper_of(
    const Exchange::Part& part,
    double free) const {
  const double posted = posted_[part.worker];
  const Start& start = start_[part.set];
  if (start.time > std::max(posted, free) + kSameTime) {
    return {.peer = start.worker};
  }
  const Keeper& before = line_by_[part.is_inside ? 1 : 0][part.worker];
  if (free > posted + kSameTime && before.peer >= 0) return before;
  return {.set = part.slowest};
}

std::span<const int> CommThreads::kept_by(int bucket, int i) const {
  const Keeper& keeper = done_by_[bucket][i];
  if (keeper.peer >= 0) return {&ranks_[keeper.peer], 1};
  if (keeper.set >= 0) return exchange_->sets[keeper.set];
  return {};
}

void CommThreads::await(const Job& job, int round, int64_t bucket) {
  const std::vector<Arrival>& arrived = arrivals(job, round, bucket);
  for (const Exchange::Part& part : job.exchange.rounds[round]) {
    const Arrival& arrival = arrived[part.worker];
    if (arrival.time <= passed_[part.worker]) continue;
    passed_[part.worker] = arrival.time;
    passed_by_[part.worker] = arrival.keeper;
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
      if (job.released[next][i] <= posted_[i]) continue;
      posted_[i] = job.released[next][i];
      passed_by_[i] = {};
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
    std::vector<std::vector<double>>& done,
    double byte) {
  GV_CHECK_EQ(exchange.n, n_);
  const Job job{exchange, bucket_bytes, released, byte};
  done = released;
  exchange_ = &exchange;
  passed_by_.assign(n_, {});
  for (auto& by : line_by_)
    by.assign(n_, {});
  done_by_.assign(bucket_bytes.size(), passed_by_);
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
        done_by_[bucket][i] = passed_by_[i];
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
  const auto n = static_cast<size_t>(n_);
  std::ranges::copy(state.first(n), passed_.begin());
  std::ranges::copy(state.subspan(n, n), free_[0].begin());
  std::ranges::copy(state.subspan(2 * n, n), free_[1].begin());
}

} // namespace grapevine::sim
