#include "cli/sweep_text.h"

#include "cli/progress.h"
#include "cli/table.h"
#include "cli/units.h"

#include <fmt/format.h>

#include <algorithm>

namespace grapevine::cli {
namespace {

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

} // namespace grapevine::cli
