// Time as gossip counts it: its unit is one gradient of this worker, by a
// moving average of how long its gradients take.
//
// Between two gradients the clock runs at the rate of the average that held at
// the last one, so it never jumps and never runs backwards. Before the first
// gradient is known it stands still.
#pragma once

#include <algorithm>

namespace grapevine::gossip {

class UnitClock {
 public:
  struct State {
    double seconds = 0; // when the average last changed
    double units = 0;   // then
    double average = 0; // seconds a gradient; 0 = none is known
  };

  UnitClock() = default;
  explicit UnitClock(const State& state) : state_(state) {}

  // What the clock shows at this moment, in units. Moments do not fall below
  // that of the last gradient.
  double at(double seconds) const {
    if (state_.average <= 0) return state_.units;
    return state_.units +
           std::max(0.0, seconds - state_.seconds) / state_.average;
  }

  // A gradient that took `duration` has ended at `seconds`.
  void gradient_done(double seconds, double duration) {
    constexpr double kWeight = 0.1; // of the newest gradient in the average
    state_ = {
        .seconds = seconds,
        .units = at(seconds),
        .average = state_.average <= 0
                       ? duration
                       : (1 - kWeight) * state_.average + kWeight * duration};
  }

  const State& state() const { return state_; }

 private:
  State state_;
};

} // namespace grapevine::gossip
