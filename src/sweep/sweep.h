// Runs of a sweep side by side, each on a thread of its own.
//
// What a run does comes in as a function, so that nothing here knows of
// training. A run that fails is one result of many.
#pragma once

#include "sweep/scheduler.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace grapevine::sweep {

enum class Outcome {
  kNotStarted,  // the sweep was interrupted before
  kDone,        // completed or diverged, now or before
  kInterrupted, // resumes when the sweep is started again
  kFailed,
  kLocked, // another process is at work on it
};

struct Ending {
  Outcome outcome = Outcome::kNotStarted;
  std::string error; // of a failed run
};

// Does the run with that index on that many threads. Called on a thread of
// its own, side by side with others. What it throws is the error of a failed
// run.
using RunFunction = std::function<Ending(size_t run, int threads)>;

// Called on the thread that called run_sweep(), one at a time.
struct SweepEvents {
  std::function<void(const Start&, const Scheduler&)> on_start;
  std::function<void(size_t run, const Ending&, const Scheduler&)> on_end;
  // A few times a second, also while nothing happens.
  std::function<void(const Scheduler&)> on_tick;
};

struct SweepOptions {
  // Set by a signal handler: no run starts any more, and run_sweep() returns
  // when those that are running have ended.
  const std::atomic<bool>* interrupt = nullptr;
  std::chrono::milliseconds tick{100};
  // Runs that were locked are tried again so often once all others have
  // ended, until none is; 0 = they stay kLocked.
  std::chrono::milliseconds retry_locked{2000};
};

// Returns when every run of the scheduler has ended. One ending a run, by
// index; kNotStarted for those that the scheduler did not hold.
std::vector<Ending> run_sweep(
    Scheduler scheduler,
    size_t runs,
    const RunFunction& run,
    const SweepOptions& options = {},
    const SweepEvents& events = {});

} // namespace grapevine::sweep
