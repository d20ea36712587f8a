#include "graph/push_schedule.h"

#include "base/check.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace grapevine::graph {
namespace {

// What a stepper asks for at a time lies within as many steps.
constexpr size_t kRemembered = 4;
// A weight is a sum of a few rounded terms, so it never stands quite still.
constexpr double kStandsStill = 1e-13;
// Operations on edges that settled_step() spends at most.
constexpr int64_t kMostOperations = 300'000'000;

} // namespace

PushSchedule::PushSchedule(std::vector<std::vector<int>> receivers)
    : senders_(receivers.size()),
      share_(receivers.size()) {
  for (int j = 0; j < n(); ++j) {
    share_[j] = 1.0 / static_cast<double>(1 + receivers[j].size());
    senders_[j].push_back(j);
    for (const int i : receivers[j]) {
      GV_CHECK(i >= 0 && i < n() && i != j);
      senders_[i].push_back(j);
    }
  }
  for (auto& list : senders_) {
    std::sort(list.begin(), list.end());
    edges_ += static_cast<int64_t>(list.size());
  }
}

std::shared_ptr<const Mixing> PushSchedule::at(StepTime time) const {
  const std::lock_guard lock(mutex_);
  Moved& moved = at_step(time.step);
  if (!moved.mixing) {
    moved.mixing = std::make_shared<const Mixing>(mixing_of(*moved.weights));
  }
  return moved.mixing;
}

std::shared_ptr<const std::vector<double>> PushSchedule::weights(
    int64_t step) const {
  const std::lock_guard lock(mutex_);
  return at_step(step).weights;
}

int64_t PushSchedule::settled_step() const {
  const std::lock_guard lock(mutex_);
  if (steps_.empty()) begin_again();
  const int64_t most = kMostOperations / edges_;
  while (!settled_ && steps_.back().step < most && advance()) {
  }
  return settled_.value_or(steps_.back().step);
}

PushSchedule::Moved& PushSchedule::at_step(int64_t step) const {
  GV_CHECK_GE(step, 0);
  if (settled_) step = std::min(step, *settled_);
  if (steps_.empty() || step < steps_.front().step) begin_again();
  while (steps_.back().step < step && advance()) {
  }
  step = std::min(step, steps_.back().step);
  return steps_[step - steps_.front().step];
}

void PushSchedule::begin_again() const {
  steps_.clear();
  auto ones = std::make_shared<const std::vector<double>>(n(), 1.0);
  steps_.push_back({0, std::move(ones), nullptr});
}

bool PushSchedule::advance() const {
  const int64_t step = steps_.back().step;
  if (settled_ == step) return false;
  const std::vector<double>& before = *steps_.back().weights;
  auto after = std::make_shared<const std::vector<double>>(push(before));
  double largest = 0;
  for (int i = 0; i < n(); ++i) {
    const double change = std::abs((*after)[i] - before[i]);
    largest = std::max(largest, change / before[i]);
  }
  if (largest <= kStandsStill) {
    settled_ = step;
    return false;
  }
  if (steps_.size() == kRemembered) steps_.pop_front();
  steps_.push_back({step + 1, std::move(after), nullptr});
  return true;
}

std::vector<double> PushSchedule::push(
    const std::vector<double>& weights) const {
  std::vector<double> after(weights.size());
  for (int i = 0; i < n(); ++i) {
    for (const int j : senders_[i])
      after[i] += share_[j] * weights[j];
  }
  return after;
}

Mixing PushSchedule::mixing_of(const std::vector<double>& weights) const {
  const std::vector<double> after = push(weights);
  std::vector<std::vector<Term>> rows(n());
  for (int i = 0; i < n(); ++i) {
    for (const int j : senders_[i])
      rows[i].push_back({j, share_[j] * weights[j] / after[i]});
  }
  return Mixing::row_stochastic(std::move(rows));
}

} // namespace grapevine::graph
