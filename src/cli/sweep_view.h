// Shows a sweep on stderr: on a terminal a block of lines that renews itself,
// elsewhere a line when a run ends and one about the whole now and then.
#pragma once

#include "run/trainer.h"
#include "sweep/plan.h"
#include "sweep/sweep.h"

#include <atomic>
#include <chrono>
#include <mutex>
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

class SweepView {
 public:
  // core_seconds: what is left to do, by run, as estimated. A quiet view shows
  // notes and failures only.
  SweepView(
      const sweep::Plan& plan,
      const std::vector<double>& core_seconds,
      bool quiet,
      const std::atomic<bool>& interrupt);
  // Removes the block.
  ~SweepView();

  // To be handed to a run; any thread. The view must outlive the run.
  run::TrainHooks hooks(size_t run);
  // What a run ended with, told before it ends; any thread. The line is shown
  // when the sweep has noticed.
  void set_last_words(size_t run, std::string text);

  // For run_sweep(), whose thread alone may draw.
  sweep::SweepEvents events();

 private:
  using Clock = std::chrono::steady_clock;
  enum class State { kWaiting, kRunning, kDone, kFailed, kLocked, kStopped };

  struct Run {
    std::string label;
    double work = 0;        // core-seconds, estimated
    int64_t first_step = 0; // at which it resumes
    State state = State::kWaiting;
    std::optional<run::Progress> progress;
    std::string last_words;
    bool said_locked = false; // once is enough, however often it is tried
  };

  void end(size_t run, const sweep::Ending& ending);
  void tick(const sweep::Scheduler& scheduler);
  SweepStatus status(const sweep::Scheduler& scheduler);
  static double part_of(const Run& run);
  double now() const;

  void say(const std::string& line);
  void draw(const SweepStatus& status);
  void clear();

  const bool quiet_;
  const bool terminal_;
  const std::atomic<bool>& interrupt_;
  const Clock::time_point begin_ = Clock::now();

  std::mutex mutex_;
  // Guarded by mutex_: progress and last words of the runs, and
  std::vector<Run> runs_;
  std::vector<std::string> notes_;

  // Of the thread that draws.
  int drawn_lines_ = 0;
  Clock::time_point said_total_at_ = Clock::now();
};

} // namespace grapevine::cli
