// Curves of a run: columns of one length; NaN is "not known".
#pragma once

#include "record/schema.h"
#include "report/buckets.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace grapevine::report {

using Column = std::vector<double>;

// Over replicas (or tensors) and the steps of a point. A series without a band
// has the mean alone.
struct Band {
  Column mean;
  Column low;
  Column high;

  // Whether any number of it is known.
  bool has_values() const;
};

// Where the points of a curve lie. Epochs are steps done / steps per epoch, so
// 1.0 is the end of the first one.
struct Axis {
  std::vector<int64_t> step; // the last one of a point
  Column epoch;
  std::vector<Column> columns; // of record::axis_series()

  // The column of an axis by its name; empty without a cost model.
  const Column& operator[](std::string_view name) const;
};

// The curves of a table of the schema.
struct Curves {
  Axis axis;
  std::map<std::string, Band, std::less<>> series; // by name

  // Checked.
  const Band& operator[](std::string_view name) const;
};

// All tables of the schema without a point, by name.
std::map<std::string, Curves, std::less<>> no_curves();

// How far a run was after each step: bytes, messages, seconds.
class Timeline {
 public:
  // `steps` holds the series of the steps' table, then those of the axes.
  Timeline(const Buckets& steps, double steps_per_epoch, int workers);

  double epoch(int64_t step) const;
  // The axis at the end of a step: exact where the step ends a bucket, in
  // proportion between them. NaN if the run did not record it.
  double at(std::string_view axis, int64_t step) const;
  Axis axis(std::vector<int64_t> steps) const;

 private:
  struct Point {
    int64_t first_step;
    int64_t last_step;
  };
  double at(size_t axis, int64_t step) const;

  std::vector<Point> points_;
  // [point][axis]: the value before each point, and after the last.
  std::vector<double> values_;
  std::vector<bool> known_;
  double steps_per_epoch_;
  int workers_;
};

} // namespace grapevine::report
