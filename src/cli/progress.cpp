#include "cli/progress.h"

#include "cli/console.h"
#include "cli/table.h"
#include "cli/units.h"
#include "data/locate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace grapevine::cli {
namespace {

constexpr std::chrono::seconds kPlainInterval{5};
constexpr int kLongestBar = 24;
constexpr int kShortestBar = 4;

std::string beginning(const std::string& label, const run::Progress& progress) {
  return fmt::format(
      "{}{}epoch {}/{}",
      label,
      label.empty() ? "" : "  ",
      progress.epoch,
      progress.epochs);
}

// What a narrow line does without: each leaves out what those before it do.
enum class Brevity { kAll, kNoDegree, kNoRate, kNoQuality };
constexpr Brevity kBrevities[] = {
    Brevity::kAll,
    Brevity::kNoDegree,
    Brevity::kNoRate,
    Brevity::kNoQuality};

// Loss, accuracy or perplexity, degree, and the rate and the time that is left
// or what is done instead of training.
std::string details(
    const run::Progress& progress,
    Brevity brevity = Brevity::kAll) {
  std::string text;
  if (progress.step > 0) text += "  loss " + human_number(progress.loss);
  if (progress.test_accuracy && brevity < Brevity::kNoQuality) {
    text +=
        "  " + quality_text(*progress.test_accuracy, progress.test_perplexity);
  }
  if (brevity < Brevity::kNoDegree) {
    text += "  degree " + human_number(progress.degree);
  }
  const bool is_training =
      progress.phase.empty() || progress.phase == "training";
  if (!is_training) return text + "  " + progress.phase;
  if (progress.samples_per_second <= 0) return text;
  if (brevity < Brevity::kNoRate) {
    text +=
        fmt::format("  {} samples/s", human_count(progress.samples_per_second));
  }
  return text + fmt::format("  {} left", human_seconds(progress.seconds_left));
}

} // namespace

double part_done(const run::Progress& progress) {
  if (progress.steps <= 0) return 0;
  const double part =
      static_cast<double>(progress.step) / static_cast<double>(progress.steps);
  return std::clamp(part, 0.0, 1.0);
}

std::string text_bar(double part, int width) {
  const int full = static_cast<int>(part * width);
  std::string text;
  for (int i = 0; i < width; ++i)
    text += i < full ? "█" : "░";
  return text;
}

std::string cut_to_width(std::string text, int width) {
  const auto continues = [&] {
    return (static_cast<unsigned char>(text.back()) & 0xc0) == 0x80;
  };
  while (display_width(text) > std::max(0, width)) {
    while (continues())
      text.pop_back();
    text.pop_back();
  }
  return text;
}

std::string progress_line(
    const std::string& label,
    const run::Progress& progress) {
  return fmt::format(
      "{}  step {}/{}{}",
      beginning(label, progress),
      progress.step,
      progress.steps,
      details(progress));
}

std::string progress_bar(
    const std::string& label,
    const run::Progress& progress,
    int width) {
  const double part = part_done(progress);
  const std::string head = beginning(label, progress) + "  ";
  std::string tail;
  int room = 0;
  for (const Brevity brevity : kBrevities) {
    tail = fmt::format("{:.0f}%{}", 100 * part, details(progress, brevity));
    room = width - display_width(head) - display_width(tail) - 2;
    if (room >= kShortestBar) break;
  }
  std::string middle;
  if (room >= kShortestBar) {
    middle = text_bar(part, std::min(room, kLongestBar)) + "  ";
  }
  return cut_to_width(head + middle + tail, width);
}

ProgressView::ProgressView(std::string label, bool quiet)
    : label_(std::move(label)),
      quiet_(quiet),
      terminal_(stderr_is_terminal()) {}

ProgressView::~ProgressView() {
  clear();
}

run::TrainHooks ProgressView::hooks() {
  run::TrainHooks hooks;
  hooks.data_path = data::default_data_path();
  hooks.on_progress = [this](const run::Progress& progress) { show(progress); };
  hooks.on_note = [this](const std::string& text) { note(text); };
  return hooks;
}

void ProgressView::show(const run::Progress& progress) {
  if (quiet_) return;
  const std::lock_guard lock(mutex_);
  if (terminal_) {
    draw_bar(progress);
  } else {
    print_plain(progress);
  }
}

void ProgressView::note(const std::string& text) {
  clear();
  print_line(label_.empty() ? text : fmt::format("{}  {}", label_, text));
}

void ProgressView::clear() {
  const std::lock_guard lock(mutex_);
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

void ProgressView::draw_bar(const run::Progress& progress) {
  const std::string line = progress_bar(label_, progress, terminal_width() - 1);
  fmt::print(stderr, "\r{}\033[K", line);
  std::fflush(stderr);
  drawn_ = true;
}

void ProgressView::print_plain(const run::Progress& progress) {
  const auto now = Clock::now();
  const bool is_news = progress.epoch != printed_epoch_;
  if (!is_news && now - printed_at_ < kPlainInterval) return;
  printed_at_ = now;
  printed_epoch_ = progress.epoch;
  print_line(progress_line(label_, progress));
}

} // namespace grapevine::cli
