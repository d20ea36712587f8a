// Seconds of real time, with pauses.
#pragma once

#include <chrono>

namespace grapevine::run {

class Stopwatch {
 public:
  double seconds() const { return banked_ + (running_ ? since(start_) : 0); }
  void pause() {
    if (running_) banked_ += since(start_);
    running_ = false;
  }
  void go() {
    if (!running_) start_ = Clock::now();
    running_ = true;
  }
  void restart() {
    banked_ = 0;
    running_ = true;
    start_ = Clock::now();
  }

 private:
  using Clock = std::chrono::steady_clock;
  static double since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

  Clock::time_point start_ = Clock::now();
  double banked_ = 0;
  bool running_ = true;
};

} // namespace grapevine::run
