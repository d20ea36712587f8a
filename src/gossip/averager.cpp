#include "gossip/averager.h"

#include "gossip/averaging_loop.h"

#include <utility>

namespace grapevine::gossip {

using std::chrono::duration;

Averager::Averager(
    Replica& replica,
    member::Edges& edges,
    const std::vector<int>& neighbours,
    AveragerOptions options)
    : replica_(replica),
      deadline_(options.deadline),
      state_(std::make_unique<AveragerState>(
          edges.rank(),
          edges.size(),
          static_cast<int>(neighbours.size()),
          options)) {
  loop_ = std::make_unique<AveragingLoop>(replica, edges, *state_, options);
  thread_ = std::jthread([this] { loop_->run(); });
}

Averager::~Averager() {
  state_->update([&] { state_->stop = true; });
}

double Averager::units() const {
  return state_->units();
}

void Averager::gradient_done(double seconds, int64_t averagings) {
  ++state_->gradients;
  state_->progress.add(state_->seconds());
  state_->update([&] {
    state_->rethrow();
    state_->clock.gradient_done(state_->seconds(), seconds);
    ++state_->statistics.gradients;
    const bool is_left_alone = state_->isolated && state_->has_met_any;
    if (state_->neighbours == 0 || is_left_alone) return;
    state_->wants += averagings;
    state_->lag += averagings;
  });
  if (state_->has_enough()) ask_for_end();
}

void Averager::change_graph(
    std::vector<int> neighbours,
    const Dynamics& dynamics) {
  replica_.set_dynamics(dynamics, units());
  const std::lock_guard lock(state_->mutex);
  state_->asks_only = std::move(neighbours);
}

void Averager::hold_back(int64_t max_lag) {
  if (max_lag < 0) return;
  const auto may_go_on = [&] {
    return state_->lag <= max_lag || state_->isolated;
  };
  const double waited = state_->wait(deadline_, may_go_on);
  const std::lock_guard lock(state_->mutex);
  state_->statistics.held_seconds += waited;
}

void Averager::wait_for_neighbours(duration<double> longest) {
  state_->wait(longest, [&] { return state_->linked == state_->neighbours; });
}

bool Averager::wait_for_values(duration<double> longest) {
  state_->wait(longest, [&] { return !state_->fresh; });
  return !state_->fresh || state_->ending;
}

void Averager::accept_own_values() {
  state_->accepts_own_values = true;
}

bool Averager::is_fresh() const {
  return state_->fresh;
}

bool Averager::is_ending() const {
  return state_->ending;
}

void Averager::ask_for_end() {
  state_->ask_for_end();
}

void Averager::end() {
  ask_for_end();
  state_->update([&] { state_->may_part = true; });
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(lock, [&] { return state_->is_over || state_->error; });
  state_->rethrow();
}

bool Averager::is_isolated() const {
  return state_->isolated;
}

std::vector<int> Averager::ended() const {
  const std::lock_guard lock(state_->mutex);
  return state_->ended;
}

double Averager::total_estimate() const {
  return state_->progress.estimate(state_->seconds());
}

std::vector<int64_t> Averager::counts() const {
  return state_->progress.counts();
}

Statistics Averager::statistics() const {
  const std::lock_guard lock(state_->mutex);
  return state_->statistics;
}

int64_t Averager::messages() const {
  return state_->messages;
}

int64_t Averager::bytes() const {
  return state_->bytes;
}

std::vector<MembershipChange> Averager::membership() {
  const std::lock_guard lock(state_->mutex);
  return std::exchange(state_->membership, {});
}

std::vector<PairPeriod> Averager::pairs() {
  const std::lock_guard lock(state_->mutex);
  const auto taken = std::exchange(state_->pairs, {});
  return {taken.begin(), taken.end()};
}

} // namespace grapevine::gossip
