// How often a run tells its hook where it is.
#pragma once

#include "run/stopwatch.h"

namespace grapevine::run {

class ProgressPace {
 public:
  // Whether to tell it now, which is at most ten times a second unless it must
  // be. Begins to wait anew where the answer is yes.
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
