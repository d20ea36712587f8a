#include "report/curves.h"

#include "base/check.h"

#include <algorithm>
#include <cmath>

namespace grapevine::report {
namespace {

size_t axis_index(std::string_view name) {
  const auto axes = record::axis_series();
  const auto found = std::ranges::find(axes, name, &record::AxisSeries::name);
  GV_CHECK(found != axes.end());
  return static_cast<size_t>(found - axes.begin());
}

} // namespace

const Column& Axis::operator[](std::string_view name) const {
  static const Column kNone;
  return columns.empty() ? kNone : columns[axis_index(name)];
}

bool Band::has_values() const {
  return std::ranges::any_of(mean, [](double value) {
    return std::isfinite(value);
  });
}

const Band& Curves::operator[](std::string_view name) const {
  const auto found = series.find(name);
  GV_CHECK(found != series.end());
  return found->second;
}

std::map<std::string, Curves, std::less<>> no_curves() {
  std::map<std::string, Curves, std::less<>> all;
  for (const record::SeriesTable& table : record::series_tables()) {
    Curves& curves = all[table.name];
    curves.axis.columns.resize(record::axis_series().size());
    for (const record::Series& series : table.series)
      curves.series[series.name];
  }
  return all;
}

Timeline::Timeline(const Buckets& steps, double steps_per_epoch, int workers)
    : steps_per_epoch_(steps_per_epoch),
      workers_(workers) {
  const auto axes = record::axis_series();
  const size_t first = record::series_table("steps").series.size();
  known_.resize(axes.size());
  std::vector<double> total(axes.size());
  values_ = total;
  for (const auto& bucket : steps.buckets()) {
    points_.push_back({bucket.first_step, bucket.last_step});
    for (size_t i = 0; i < axes.size(); ++i) {
      const Cell& cell = bucket.cells[first + i];
      if (cell.count == 0) continue;
      known_[i] = true;
      total[i] = axes[i].is_total ? total[i] + cell.sum
                                  : std::max(total[i], cell.high);
    }
    values_.insert(values_.end(), total.begin(), total.end());
  }
}

double Timeline::epoch(int64_t step) const {
  return static_cast<double>(step + 1) / steps_per_epoch_;
}

double Timeline::at(std::string_view axis, int64_t step) const {
  return at(axis_index(axis), step);
}

double Timeline::at(size_t axis, int64_t step) const {
  if (!known_[axis]) return kNan;
  const double scale =
      record::axis_series()[axis].is_total ? 1.0 / workers_ : 1.0;
  const auto point =
      std::ranges::lower_bound(points_, step, {}, &Point::last_step);
  const double* before =
      &values_[static_cast<size_t>(point - points_.begin()) * known_.size()];
  if (point == points_.end()) return before[axis] * scale;
  const auto span =
      static_cast<double>(point->last_step - point->first_step + 1);
  const double share = std::clamp(
      static_cast<double>(step - point->first_step + 1) / span,
      0.0,
      1.0);
  return scale *
         (before[axis] * (1 - share) + before[known_.size() + axis] * share);
}

Axis Timeline::axis(std::vector<int64_t> steps) const {
  const auto axes = record::axis_series();
  Axis axis;
  axis.columns.resize(axes.size());
  for (const int64_t step : steps) {
    axis.epoch.push_back(epoch(step));
    for (size_t i = 0; i < axes.size(); ++i) {
      if (known_[i] || !axes[i].is_optional) {
        axis.columns[i].push_back(at(i, step));
      }
    }
  }
  axis.step = std::move(steps);
  return axis;
}

} // namespace grapevine::report
