// Whoever wants to know what a step does when.
#pragma once

#include "mix/clock.h"

namespace grapevine::mix {

class StepObserver {
 public:
  virtual ~StepObserver() = default;
  // Of a hosted worker, from the thread that computes it.
  virtual void updated(int index, int bucket, Clock::time_point begin) = 0;
  // peer: the one that kept the bucket longest, or -1.
  virtual void
  waited(int index, int bucket, Clock::time_point begin, int peer) = 0;
};

} // namespace grapevine::mix
