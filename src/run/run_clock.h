// The real time that a run has taken, earlier attempts included: in all, and
// in training, which is without evaluations and checkpoints.
#pragma once

#include "run/stopwatch.h"

#include <algorithm>
#include <cstdint>

namespace grapevine::run {

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

  // Whether a checkpoint is due after so many steps. every: as in the spec's
  // checkpoint-every: a number of steps, -1 for never, or 0 for by time, where
  // `may_by_time` says that this is a moment for it.
  bool checkpoint_is_due(int64_t every, int64_t steps, bool may_by_time) const {
    constexpr double kSeconds = 60; // at least, between two by time
    if (every < 0) return false;
    if (every > 0) return steps % every == 0;
    return may_by_time && since_checkpoint_.seconds() > kSeconds;
  }
  void checkpoint_written() { since_checkpoint_.restart(); }

 private:
  double earlier_total_ = 0;
  double earlier_training_ = 0;
  Stopwatch total_;
  Stopwatch training_;
  Stopwatch since_checkpoint_;
};

} // namespace grapevine::run
