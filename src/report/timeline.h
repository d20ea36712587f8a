// How far a run was after each step: bytes, messages, seconds.
#pragma once

#include "report/buckets.h"
#include "report/run_data.h"

#include <cstdint>
#include <vector>

namespace grapevine::report {

// The columns of the table of steps.
enum StepColumn : int {
  kLoss,
  kLr,
  kDegree,
  kBytes,
  kMessages,
  kSeconds,
  kVirtualSeconds,
  kStepColumns,
};

class Timeline {
 public:
  // From the table of steps; its bytes and messages are those of a step, all
  // workers', its seconds those since the run's begin.
  Timeline(const Buckets& steps, double steps_per_epoch, int workers);

  double epoch(int64_t step) const;
  // At the end of a step: exact where it ends a bucket of the table, between
  // them in proportion. NaN where the run did not record it.
  double bytes(int64_t step) const { return at(kBytes, step); }
  double messages(int64_t step) const { return at(kMessages, step); }
  double seconds(int64_t step) const { return at(kSeconds, step); }
  double virtual_seconds(int64_t step) const {
    return at(kVirtualSeconds, step);
  }

  Axis axis(std::vector<int64_t> steps) const;

 private:
  struct Point {
    int64_t first_step;
    int64_t last_step;
    std::array<double, kStepColumns> before;
    std::array<double, kStepColumns> after;
  };
  double at(StepColumn column, int64_t step) const;

  std::vector<Point> points_;
  std::array<bool, kStepColumns> known_{};
  double steps_per_epoch_;
  int workers_;
};

} // namespace grapevine::report
