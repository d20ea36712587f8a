// The lines that show a sweep.
#include "cli/sweep_view.h"

#include "cli/progress.h"
#include "cli/some_progress.h"
#include "cli/table.h"

#include <gtest/gtest.h>

#include <cmath>

namespace grapevine::cli {
namespace {

RunningRun some_run(const std::string& label) {
  run::Progress progress = some_progress();
  progress.degree = 12;
  progress.seconds_left = 12;
  return {.label = label, .progress = progress, .part = 0.375};
}

SweepStatus some_status() {
  SweepStatus status;
  status.done = 7;
  status.waiting = 9;
  status.running = {some_run("ada seed 1"), some_run("d-ring seed 2")};
  status.part = 0.5;
  status.elapsed = 70;
  status.seconds_left = 125;
  return status;
}

TEST(SweepText, Total) {
  EXPECT_EQ(
      total_line(some_status(), 0),
      "7/18 done  2 running  9 waiting  1:10, about 2:05 left");
  EXPECT_EQ(
      total_line(some_status(), 66),
      "7/18 done  █████░░░░░  2 running  9 waiting  1:10, about 2:05 left");
}

TEST(SweepText, WhatDidNotGoWell) {
  SweepStatus status = some_status();
  status.failed = 2;
  status.locked = 1;
  EXPECT_EQ(
      total_line(status, 0),
      "7/21 done  2 running  9 waiting  2 failed  1 of another process  1:10, "
      "about 2:05 left");
  status.is_ending = true;
  EXPECT_TRUE(
      total_line(status, 0).ends_with("  interrupted: writing checkpoints"));
}

TEST(SweepText, AtTheEndNothingIsLeft) {
  SweepStatus status;
  status.done = 18;
  status.part = 1;
  status.elapsed = 5;
  EXPECT_EQ(total_line(status, 0), "18/18 done  5.0 s");
  EXPECT_EQ(
      total_line(status, 100),
      "18/18 done  " + text_bar(1, 30) + "  5.0 s");
}

TEST(SweepText, RunsStandInColumns) {
  SweepStatus status = some_status();
  status.running[1].progress.reset();
  const auto lines = sweep_block(status, 120, 10);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(
      lines[1],
      "  ada seed 1     ███░░░░░░░  epoch 3/8  12 s left  loss 0.5  "
      "accuracy 83.10 %  degree 12");
  EXPECT_EQ(lines[2], "  d-ring seed 2  ░░░░░░░░░░  starting");
}

TEST(SweepText, APhaseStandsInPlaceOfTheTimeLeft) {
  SweepStatus status = some_status();
  status.running[0].progress->phase = "evaluating";
  EXPECT_NE(
      sweep_block(status, 120, 10)[1].find("evaluating"),
      std::string::npos);
}

TEST(SweepText, FitsAnyWindow) {
  SweepStatus status = some_status();
  for (int i = 0; i < 60; ++i) {
    status.running.push_back(some_run(
        "lr-scaling sqrt größer n 1008 d-exponential seed " +
        std::to_string(i)));
  }
  for (int width = 0; width <= 200; width += 7) {
    for (const int height : {1, 2, 3, 10, 62, 63, 64, 100}) {
      const auto lines = sweep_block(status, std::max(1, width), height);
      ASSERT_GE(lines.size(), 1u);
      EXPECT_LE(static_cast<int>(lines.size()), height);
      for (const std::string& line : lines) {
        EXPECT_LE(display_width(line), std::max(1, width)) << line;
      }
    }
  }
}

TEST(SweepText, CountsTheRunsThatHaveNoLine) {
  SweepStatus status = some_status();
  for (int i = 0; i < 8; ++i)
    status.running.push_back(some_run("x"));
  const auto lines = sweep_block(status, 100, 6);
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_EQ(lines.back(), "  … 6 more");
}

TEST(SweepText, NumbersThatAreNone) {
  SweepStatus status = some_status();
  status.seconds_left = std::nan("");
  status.running[0].progress->loss = std::nan("");
  status.running[0].progress->seconds_left = INFINITY;
  EXPECT_NE(total_line(status, 0).find("about – left"), std::string::npos);
  EXPECT_NE(sweep_block(status, 120, 4)[1].find("loss –"), std::string::npos);
}

} // namespace
} // namespace grapevine::cli
