// The progress of a sweep as lines of text.
#pragma once

#include "run/trainer.h"

#include <optional>
#include <string>
#include <vector>

namespace grapevine::cli {

struct RunningRun {
  std::string label;
  std::optional<run::Progress> progress; // none yet: it is starting
  double part = 0;                       // done, 0 to 1
};

struct SweepStatus {
  // Runs of the whole sweep; they add up to all of it.
  int done = 0; // failed ones not counted
  int failed = 0;
  int locked = 0; // another process is at work on them
  int waiting = 0;
  std::vector<RunningRun> running; // in the order of the sweep
  double part = 0;                 // of all work, 0 to 1
  double elapsed = 0;              // seconds
  double seconds_left = 0;
  bool is_ending = false; // interrupted
};

// "7/18 done  ████░░  2 running  9 waiting  1:10, about 2:05 left", at most
// `width` characters; the bar takes what room there is, or goes. width 0: no
// bar and no limit.
std::string total_line(const SweepStatus& status, int width);

// The total, then a line for each run that is running: label, bar, epoch,
// loss, accuracy, degree, time left, in columns. At most `height` lines of at
// most `width` characters; the runs that have no line are counted in the last.
std::vector<std::string>
sweep_block(const SweepStatus& status, int width, int height);

} // namespace grapevine::cli
