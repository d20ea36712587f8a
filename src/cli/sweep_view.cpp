#include "cli/sweep_view.h"

#include "cli/console.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "cli/units.h"
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

// Estimates hold until this part of the work is done: before it, what starting
// takes (data, replicas) hides the rate.
constexpr double kTelling = 0.05;

// Seconds until all is done: at the rate so far.
double seconds_left(double part, double elapsed, double estimate) {
  if (part < kTelling) return std::max(0.0, estimate - elapsed);
  return elapsed * (1 - part) / part;
}

constexpr int kTotalBar = 30;
constexpr int kShortestBar = 4;
constexpr int kRunBar = 10;
constexpr size_t kLongestLabel = 40;

std::string counts(const SweepStatus& status) {
  std::string text;
  const auto add = [&](int count, const char* what) {
    if (count > 0) text += fmt::format("  {} {}", count, what);
  };
  add(static_cast<int>(status.running.size()), "running");
  add(status.waiting, "waiting");
  add(status.failed, "failed");
  add(status.locked, "of another process");
  return text;
}

std::string times(const SweepStatus& status) {
  if (status.is_ending) return "  interrupted: writing checkpoints";
  std::string text = "  " + human_seconds(status.elapsed);
  const bool goes_on = !status.running.empty() || status.waiting > 0;
  if (goes_on)
    text += fmt::format(", about {} left", human_seconds(status.seconds_left));
  return text;
}

std::vector<std::string> cells_of(const RunningRun& run) {
  const std::string label = cut_to_width(run.label, kLongestLabel);
  if (!run.progress) return {label, text_bar(0, kRunBar), "starting"};
  const run::Progress& progress = *run.progress;
  const bool is_training =
      progress.phase.empty() || progress.phase == "training";
  return {
      label,
      text_bar(run.part, kRunBar),
      fmt::format("epoch {}/{}", progress.epoch, progress.epochs),
      is_training ? human_seconds(progress.seconds_left) + " left"
                  : progress.phase,
      progress.step > 0 ? "loss " + human_number(progress.loss) : "",
      progress.test_accuracy
          ? quality_text(*progress.test_accuracy, progress.test_perplexity)
          : "",
      "degree " + human_number(progress.degree)};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

} // namespace

std::string total_line(const SweepStatus& status, int width) {
  const int total = status.done + status.failed + status.locked +
                    status.waiting + static_cast<int>(status.running.size());
  const std::string head = fmt::format("{}/{} done", status.done, total);
  const std::string tail = counts(status) + times(status);
  if (width <= 0) return head + tail;
  const int room = width - display_width(head) - display_width(tail) - 2;
  std::string bar;
  if (room >= kShortestBar) {
    bar = "  " + text_bar(status.part, std::min(room, kTotalBar));
  }
  return cut_to_width(head + bar + tail, width);
}

std::vector<std::string>
sweep_block(const SweepStatus& status, int width, int height) {
  std::vector<std::string> lines = {total_line(status, width)};
  const size_t room = std::max(0, height - 1);
  const size_t all = status.running.size();
  const size_t shown = all <= room ? all : room - std::min<size_t>(room, 1);
  Table table;
  for (size_t i = 0; i < shown; ++i)
    table.add_row(cells_of(status.running[i]));
  for (std::string& line : lines_of(table.text(2)))
    lines.push_back(cut_to_width(std::move(line), width));
  if (shown < all && room > 0) {
    lines.push_back(
        cut_to_width(fmt::format("  … {} more", all - shown), width));
  }
  return lines;
}

SweepView::SweepView(
    const sweep::Plan& plan,
    const std::vector<double>& core_seconds,
    bool quiet,
    const std::atomic<bool>& interrupt)
    : quiet_(quiet),
      terminal_(stderr_is_terminal()),
      interrupt_(interrupt) {
  for (size_t i = 0; i < plan.runs.size(); ++i) {
    const sweep::PlannedRun& run = plan.runs[i];
    runs_.push_back(
        {.label = run.label,
         .work = core_seconds[i],
         .first_step = run.stored.step,
         .state = run.is_done() ? State::kDone : State::kWaiting});
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
    notes_.push_back(fmt::format("{}  {}", runs_[run].label, text));
  };
  return hooks;
}

void SweepView::set_last_words(size_t run, std::string text) {
  const std::lock_guard lock(mutex_);
  runs_[run].last_words = std::move(text);
}

sweep::SweepEvents SweepView::events() {
  sweep::SweepEvents events;
  events.on_start = [this](const sweep::Start& start, const sweep::Scheduler&) {
    const std::lock_guard lock(mutex_);
    runs_[start.run].state = State::kRunning;
    runs_[start.run].progress.reset();
  };
  events.on_end =
      [this](size_t run, const sweep::Ending& ending, const sweep::Scheduler&) {
        end(run, ending);
      };
  events.on_tick = [this](const sweep::Scheduler& scheduler) {
    tick(scheduler);
  };
  return events;
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
    words = fmt::format("{}  {}", run.label, run.last_words);
  }
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
  if (terminal_) {
    draw(status(scheduler));
  } else if (Clock::now() - said_total_at_ >= kTotalEvery) {
    said_total_at_ = Clock::now();
    print_line(total_line(status(scheduler), 0));
  }
}

// Of the work that this attempt has to do.
double SweepView::part_of(const Run& run) {
  if (run.state == State::kDone || run.state == State::kFailed) return 1;
  if (run.state != State::kRunning || !run.progress) return 0;
  const int64_t steps = run.progress->steps - run.first_step;
  if (steps <= 0) return 0;
  const double part = static_cast<double>(run.progress->step - run.first_step) /
                      static_cast<double>(steps);
  return std::clamp(part, 0.0, 1.0);
}

SweepStatus SweepView::status(const sweep::Scheduler& scheduler) {
  SweepStatus status;
  status.elapsed = now();
  status.is_ending = interrupt_;
  double work = 0;
  double work_done = 0;
  const std::lock_guard lock(mutex_);
  for (const Run& run : runs_) {
    status.done += run.state == State::kDone ? 1 : 0;
    status.failed += run.state == State::kFailed ? 1 : 0;
    status.locked += run.state == State::kLocked ? 1 : 0;
    status.waiting +=
        run.state == State::kWaiting || run.state == State::kStopped ? 1 : 0;
    work += run.work;
    work_done += run.work * part_of(run);
    if (run.state != State::kRunning) continue;
    status.running.push_back(
        {.label = run.label, .progress = run.progress, .part = part_of(run)});
  }
  status.part = work > 0 ? work_done / work : 1;
  status.seconds_left = seconds_left(
      status.part,
      status.elapsed,
      work / scheduler.limits().cores);
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
