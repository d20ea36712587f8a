// Real time of a run: a stopwatch, the times of the run as a whole, and how
// often its progress is shown.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace grapevine::run {

// Seconds of real time, with pauses.
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

// The real time that a run has taken, earlier attempts included: in all, and
// in training, which is without evaluations and checkpoints.
class RunClock {
 public:
  // Begins this attempt: its times start at 0.
  void begin() {
    total_.restart();
    training_.restart();
    since_checkpoint_.restart();
  }

  double total_seconds() const { return earlier_total_ + total_.seconds(); }
  double training_seconds() const {
    return earlier_training_ + training_.seconds();
  }
  double seconds_since_checkpoint() const {
    return since_checkpoint_.seconds();
  }
  // Sets what earlier attempts took, in seconds.
  void set_earlier(double total, double training) {
    earlier_total_ = total;
    earlier_training_ = training;
  }
  // Raises both times to these, in seconds, if they are lower.
  void raise_to(double total, double training) {
    earlier_total_ = std::max(earlier_total_, total - total_.seconds());
    earlier_training_ =
        std::max(earlier_training_, training - training_.seconds());
  }

  void pause_training() { training_.pause(); }
  void resume_training() { training_.go(); }
  void checkpoint_written() { since_checkpoint_.restart(); }

 private:
  double earlier_total_ = 0;
  double earlier_training_ = 0;
  Stopwatch total_;
  Stopwatch training_;
  Stopwatch since_checkpoint_;
};

// Decides when a run writes checkpoints.
struct CheckpointPolicy {
  int64_t every = 0;   // steps; 0 = by the clock, < 0 = never
  double seconds = 60; // by the clock: at least, between two

  // Whether one is due after so many steps.
  bool is_due_at(int64_t steps) const {
    return every > 0 && steps % every == 0;
  }
  // Whether one is due so many seconds after the last. Workers that write
  // together leave the question to one of them.
  bool is_due_after(double elapsed) const {
    return every == 0 && elapsed > seconds;
  }
  bool keeps_result() const { return every >= 0; }
};

// Limits how often a run reports its progress.
class ProgressPace {
 public:
  // Whether to report now: at most ten times a second, unless it must be.
  bool is_due(bool must_be) {
    constexpr double kEverySeconds = 0.1;
    if (!must_be && since_.seconds() < kEverySeconds) return false;
    since_.restart();
    return true;
  }

 private:
  Stopwatch since_;
};

} // namespace grapevine::run
