// Slows a worker down: emulates a straggler.
//
//   SlowdownEmulator slowdown(2.0);
//   forward();
//   slowdown.stretch();  // sleeps as long as forward has taken
#pragma once

#include <chrono>
#include <thread>

namespace grapevine::run {

class SlowdownEmulator {
 public:
  // factor: of the time that computing takes; at least 1.
  explicit SlowdownEmulator(double factor)
      : factor_(factor),
        mark_(Clock::now()) {}

  // Sleeps until the time since the last mark is `factor` times what it was,
  // and sets the mark.
  void stretch() {
    if (factor_ > 1) {
      const std::chrono::duration<double> taken = Clock::now() - mark_;
      std::this_thread::sleep_for((factor_ - 1) * taken);
    }
    restart();
  }
  // Sets the mark: what was done since the last one is not stretched.
  void restart() { mark_ = Clock::now(); }

 private:
  using Clock = std::chrono::steady_clock;
  double factor_;
  Clock::time_point mark_;
};

} // namespace grapevine::run
