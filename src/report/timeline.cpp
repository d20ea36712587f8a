#include "report/timeline.h"

#include <algorithm>

namespace grapevine::report {

Timeline::Timeline(const Buckets& steps, double steps_per_epoch, int workers)
    : steps_per_epoch_(steps_per_epoch),
      workers_(workers) {
  std::array<double, kStepColumns> total{};
  for (const auto& bucket : steps.buckets()) {
    Point point{bucket.first_step, bucket.last_step, total, total};
    for (const int column : {kBytes, kMessages}) {
      point.after[column] += bucket.cells[column].sum;
    }
    for (const int column : {kSeconds, kVirtualSeconds}) {
      if (bucket.cells[column].count > 0) {
        point.after[column] =
            std::max(total[column], bucket.cells[column].high);
      }
    }
    for (int column = 0; column < kStepColumns; ++column) {
      known_[column] = known_[column] || bucket.cells[column].count > 0;
    }
    total = point.after;
    points_.push_back(point);
  }
}

double Timeline::epoch(int64_t step) const {
  return static_cast<double>(step + 1) / steps_per_epoch_;
}

double Timeline::at(StepColumn column, int64_t step) const {
  if (!known_[column]) return kNan;
  const bool is_total = column == kBytes || column == kMessages;
  const double scale = is_total ? 1.0 / workers_ : 1.0;
  const auto point =
      std::ranges::lower_bound(points_, step, {}, [](const auto& p) {
        return p.last_step;
      });
  if (point == points_.end()) return points_.back().after[column] * scale;
  const auto span =
      static_cast<double>(point->last_step - point->first_step + 1);
  const double share = std::clamp(
      static_cast<double>(step - point->first_step + 1) / span,
      0.0,
      1.0);
  return scale *
         (point->before[column] * (1 - share) + point->after[column] * share);
}

Axis Timeline::axis(std::vector<int64_t> steps) const {
  Axis axis;
  for (const int64_t step : steps) {
    axis.epoch.push_back(epoch(step));
    axis.bytes.push_back(bytes(step));
    axis.messages.push_back(messages(step));
    axis.seconds.push_back(seconds(step));
    if (known_[kVirtualSeconds]) {
      axis.virtual_seconds.push_back(at(kVirtualSeconds, step));
    }
  }
  axis.step = std::move(steps);
  return axis;
}

} // namespace grapevine::report
