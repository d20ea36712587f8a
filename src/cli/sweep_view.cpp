#include "cli/sweep_view.h"

#include "cli/console.h"
#include "cli/progress.h"
#include "data/locate.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace grapevine::cli {
namespace {

constexpr std::chrono::seconds kTotalEvery{10};
constexpr int kMostLines = 20;

int block_height() {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0;
  const int rows = known && size.ws_row > 0 ? size.ws_row : 24;
  return std::clamp(rows - 2, 1, kMostLines);
}

std::vector<double> core_seconds_of(const std::vector<SweepViewRun>& runs) {
  std::vector<double> seconds;
  for (const SweepViewRun& run : runs)
    seconds.push_back(run.core_seconds);
  return seconds;
}

} // namespace

SweepView::SweepView(
    std::vector<SweepViewRun> runs,
    bool quiet,
    const std::atomic<bool>& interrupt)
    : quiet_(quiet),
      terminal_(stderr_is_terminal()),
      interrupt_(interrupt),
      time_left_(core_seconds_of(runs)) {
  for (SweepViewRun& run : runs) {
    const State state = run.is_done ? State::kDone : State::kWaiting;
    runs_.push_back({.facts = std::move(run), .state = state});
  }
}

SweepView::~SweepView() {
  clear();
}

run::TrainHooks SweepView::hooks(size_t run) {
  run::TrainHooks hooks;
  hooks.data_path = data::default_data_path();
  hooks.interrupt = &interrupt_;
  hooks.on_progress = [this, run](const run::Progress& progress) {
    const std::lock_guard lock(mutex_);
    runs_[run].progress = progress;
  };
  hooks.on_note = [this, run](const std::string& text) {
    const std::lock_guard lock(mutex_);
    notes_.push_back(fmt::format("{}  {}", runs_[run].facts.label, text));
  };
  return hooks;
}

void SweepView::set_last_words(size_t run, std::string text) {
  const std::lock_guard lock(mutex_);
  runs_[run].last_words = std::move(text);
}

sweep::SweepEvents SweepView::events() {
  sweep::SweepEvents events;
  events.on_start = [this](const sweep::Start& run, const sweep::Scheduler&) {
    start(run);
  };
  events.on_end =
      [this](size_t run, const sweep::Ending& ending, const sweep::Scheduler&) {
        end(run, ending);
      };
  events.on_tick = [this](const sweep::Scheduler& scheduler) {
    tick(scheduler);
  };
  events.work_left = [this](const sweep::Scheduler& scheduler) {
    follow_progress();
    return time_left_.work(scheduler, now());
  };
  return events;
}

void SweepView::start(const sweep::Start& start) {
  time_left_.begin(start, now());
  const std::lock_guard lock(mutex_);
  runs_[start.run].state = State::kRunning;
  runs_[start.run].progress.reset();
}

void SweepView::end(size_t index, const sweep::Ending& ending) {
  using sweep::Outcome;
  std::string words;
  bool was_locked = false;
  {
    const std::lock_guard lock(mutex_);
    Run& run = runs_[index];
    was_locked = ending.outcome == Outcome::kLocked && run.said_locked;
    run.said_locked |= ending.outcome == Outcome::kLocked;
    run.state = ending.outcome == Outcome::kDone     ? State::kDone
                : ending.outcome == Outcome::kFailed ? State::kFailed
                : ending.outcome == Outcome::kLocked ? State::kLocked
                                                     : State::kStopped;
    words = fmt::format("{}  {}", run.facts.label, run.last_words);
  }
  if (ending.outcome == Outcome::kDone) time_left_.complete(index, now());
  const bool matters = ending.outcome == Outcome::kFailed;
  if (!was_locked && (!quiet_ || matters)) say(words);
}

void SweepView::tick(const sweep::Scheduler& scheduler) {
  std::vector<std::string> notes;
  {
    const std::lock_guard lock(mutex_);
    notes.swap(notes_);
  }
  for (const std::string& note : notes)
    say(note);
  if (quiet_) return;
  follow_progress();
  if (terminal_) {
    draw(status(scheduler));
  } else if (Clock::now() - said_total_at_ >= kTotalEvery) {
    said_total_at_ = Clock::now();
    print_line(total_line(status(scheduler), 0));
  }
}

void SweepView::follow_progress() {
  const std::lock_guard lock(mutex_);
  for (size_t i = 0; i < runs_.size(); ++i) {
    if (runs_[i].state != State::kRunning) continue;
    time_left_.reach(i, part_of(runs_[i]), now());
  }
}

// Of the work that this attempt has to do.
double SweepView::part_of(const Run& run) const {
  if (!run.progress) return 0;
  const int64_t first = run.facts.first_step;
  const int64_t steps = run.progress->steps - first;
  if (steps <= 0) return 0;
  const double part = static_cast<double>(run.progress->step - first) /
                      static_cast<double>(steps);
  return std::clamp(part, 0.0, 1.0) * (1 - run.facts.final_part);
}

SweepStatus SweepView::status(const sweep::Scheduler& scheduler) {
  SweepStatus status;
  status.elapsed = now();
  status.is_ending = interrupt_;
  status.seconds_left = time_left_.of_sweep(scheduler, status.elapsed);
  double work = 0;
  double work_done = 0;
  const std::lock_guard lock(mutex_);
  for (size_t i = 0; i < runs_.size(); ++i) {
    const Run& run = runs_[i];
    const bool is_running = run.state == State::kRunning;
    status.done += run.state == State::kDone ? 1 : 0;
    status.failed += run.state == State::kFailed ? 1 : 0;
    status.locked += run.state == State::kLocked ? 1 : 0;
    status.waiting +=
        run.state == State::kWaiting || run.state == State::kStopped ? 1 : 0;
    const double part = is_running ? part_of(run) : 0;
    work += run.facts.core_seconds;
    work_done +=
        run.facts.core_seconds *
        (run.state == State::kDone || run.state == State::kFailed ? 1 : part);
    if (!is_running) continue;
    status.running.push_back(
        {.label = run.facts.label,
         .progress = run.progress,
         .part = part,
         .seconds_left = time_left_.of_run(i, status.elapsed)});
  }
  status.part = work > 0 ? work_done / work : 1;
  return status;
}

double SweepView::now() const {
  return std::chrono::duration<double>(Clock::now() - begin_).count();
}

void SweepView::say(const std::string& line) {
  clear();
  print_line(line);
}

void SweepView::draw(const SweepStatus& status) {
  const auto lines = sweep_block(status, terminal_width() - 1, block_height());
  std::string text;
  if (drawn_lines_ > 0) text += fmt::format("\033[{}A", drawn_lines_);
  for (const std::string& line : lines)
    text += fmt::format("\r{}\033[K\n", line);
  text += "\033[J";
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
  drawn_lines_ = static_cast<int>(lines.size());
}

void SweepView::clear() {
  if (drawn_lines_ == 0) return;
  fmt::print(stderr, "\033[{}A\r\033[J", drawn_lines_);
  std::fflush(stderr);
  drawn_lines_ = 0;
}

} // namespace grapevine::cli
