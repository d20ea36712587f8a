// A run's progress for people: one line that renews itself on a terminal,
// plain lines elsewhere. All on stderr.
#pragma once

#include "run/trainer.h"

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace grapevine::cli {

class ProgressView {
 public:
  // `label` begins every line ("[3/18] ada"); may be empty. A quiet view shows
  // notes only.
  ProgressView(std::string label, bool quiet);
  // Removes the line that renews itself.
  ~ProgressView();

  // Hooks that show here, with the data folders of this machine. The view must
  // outlive the run.
  run::TrainHooks hooks();

  // Any thread.
  void show(const run::Progress& progress);
  void note(const std::string& text);
  void clear();

 private:
  void draw_bar(const run::Progress& progress);
  void print_plain(const run::Progress& progress);

  using Clock = std::chrono::steady_clock;
  std::mutex mutex_;
  std::string label_;
  bool quiet_;
  bool terminal_;
  bool drawn_ = false;
  // What the last plain line said.
  Clock::time_point printed_at_{};
  int64_t printed_epoch_ = 0;
};

// A bar of `width` characters, filled up to `part` of 0 to 1.
std::string text_bar(double part, int width);
// At most `width` characters of a text, cut at a character's border.
std::string cut_to_width(std::string text, int width);
// Of the steps, 0 to 1.
double part_done(const run::Progress& progress);

// "epoch 3/8  step 57/152  loss 0.512  …".
std::string progress_line(
    const std::string& label,
    const run::Progress& progress);
// "epoch 3/8  ████░░░░  41%  loss 0.512  …": the bar takes the room that the
// rest leaves, and what does not fit into `width` characters is cut off.
std::string progress_bar(
    const std::string& label,
    const run::Progress& progress,
    int width);

} // namespace grapevine::cli
