// When a sweep will be done: estimates at first, then corrected by what was
// measured of the runs that have ended or come some way.
//
// One thread. Times are seconds since the sweep began, given by the caller.
#pragma once

#include "sweep/scheduler.h"

#include <cstddef>
#include <vector>

namespace grapevine::sweep {

class TimeLeft {
 public:
  // estimates: core-seconds of each run, above 0.
  explicit TimeLeft(std::vector<double> estimates);

  void begin(const Start& start, double now);
  // How much of what the run has to do is done, 0 to 1.
  void reach(size_t run, double fraction, double now);
  // Only of runs that were done in full: others say little about the cost.
  void complete(size_t run, double now);

  // Measured cost over estimated cost; 1 as long as nothing is known.
  double correction() const;
  // Core-seconds left of each run, corrected.
  std::vector<double> work(const Scheduler& scheduler, double now) const;
  // Seconds until all that the scheduler holds is done.
  double of_sweep(const Scheduler& scheduler, double now) const;
  // Seconds until a running run is done, at its present rate.
  double of_run(size_t run, double now) const;

 private:
  struct Run {
    double estimate = 0; // core-seconds
    double begin = 0;
    double seen = 0; // when `fraction` was reached
    double fraction = 0;
    int threads = 0;
  };

  double elapsed_since_seen(const Run& run, double now) const;
  double work_left(const Run& run, double now) const;

  std::vector<Run> runs_;
};

} // namespace grapevine::sweep
