#include "cli/progress.h"

#include "cli/console.h"
#include "cli/table.h"
#include "cli/units.h"
#include "data/data_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace grapevine::cli {
namespace {

constexpr std::chrono::seconds kPlainInterval{5};
constexpr int kBarWidth = 20;

std::string bar(const train::Progress& progress, int width) {
  const double done = progress.steps > 0
                          ? static_cast<double>(progress.step) / progress.steps
                          : 0;
  const int full = std::clamp(static_cast<int>(done * width), 0, width);
  std::string text;
  for (int i = 0; i < width; ++i)
    text += i < full ? "█" : "░";
  return fmt::format("{} {:3.0f}%", text, 100 * std::clamp(done, 0.0, 1.0));
}

// Cut at a character's border.
std::string fit(const std::string& text, int width) {
  std::string cut = text;
  while (display_width(cut) > width) {
    while (!cut.empty() &&
           (static_cast<unsigned char>(cut.back()) & 0xc0) == 0x80) {
      cut.pop_back();
    }
    if (!cut.empty()) cut.pop_back();
  }
  return cut;
}

}  // namespace

std::string progress_line(
    const std::string& label, const train::Progress& progress, int bar_width) {
  std::string line = label.empty() ? "" : label + "  ";
  line += fmt::format("epoch {}/{}", progress.epoch, progress.epochs);
  if (bar_width > 0) {
    line += "  " + bar(progress, bar_width);
  } else {
    line += fmt::format("  step {}/{}", progress.step, progress.steps);
  }
  const bool is_training =
      progress.phase.empty() || progress.phase == "training";
  if (!is_training) line += "  " + progress.phase;
  if (progress.step > 0) line += fmt::format("  loss {:.4f}", progress.loss);
  if (progress.test_accuracy) {
    line +=
        fmt::format("  accuracy {}", human_percent(*progress.test_accuracy));
  }
  line += fmt::format("  degree {}", human_number(progress.degree));
  if (progress.samples_per_second > 0) {
    line += fmt::format(
        "  {} samples/s  {} left",
        human_count(progress.samples_per_second),
        human_seconds(progress.seconds_left));
  }
  return line;
}

ProgressView::ProgressView(std::string label, bool quiet)
    : label_(std::move(label)),
      quiet_(quiet),
      terminal_(stderr_is_terminal()) {}

ProgressView::~ProgressView() {
  clear();
}

train::TrainHooks ProgressView::hooks() {
  train::TrainHooks hooks;
  hooks.data_path = data::default_data_path();
  hooks.on_progress = [this](const train::Progress& progress) {
    show(progress);
  };
  hooks.on_note = [this](const std::string& text) { note(text); };
  return hooks;
}

void ProgressView::show(const train::Progress& progress) {
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

void ProgressView::draw_bar(const train::Progress& progress) {
  const std::string line = progress_line(label_, progress, kBarWidth);
  fmt::print(stderr, "\r{}\033[K", fit(line, terminal_width() - 1));
  std::fflush(stderr);
  drawn_ = true;
}

void ProgressView::print_plain(const train::Progress& progress) {
  const auto now = Clock::now();
  const bool is_news = progress.epoch != printed_epoch_;
  if (!is_news && now - printed_at_ < kPlainInterval) return;
  printed_at_ = now;
  printed_epoch_ = progress.epoch;
  print_line(progress_line(label_, progress, 0));
}

}  // namespace grapevine::cli
