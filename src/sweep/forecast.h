// How a sweep will go, played through with the scheduler's own rules.
//
// A run makes progress as its threads get cores: t threads work off t
// core-seconds a second while no more threads run than there are cores, and
// their share of the cores otherwise.
#pragma once

#include "sweep/scheduler.h"

#include <vector>

namespace grapevine::sweep {

struct Forecast {
  double seconds = 0;            // until the last run has ended
  int64_t peak_memory_bytes = 0; // of runs at once
  int most_at_once = 0;
  // Of each run, in seconds from now; 0 where there is nothing to do.
  std::vector<double> begin;
  std::vector<double> end;
};

// work: what is left to do of each run, waiting or running, in core-seconds.
Forecast forecast(Scheduler scheduler, std::vector<double> work);

} // namespace grapevine::sweep
