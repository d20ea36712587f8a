// A curve's columns and where its points lie. Columns of one curve have one
// length; NaN is "not known".
#pragma once

#include <cstdint>
#include <vector>

namespace grapevine::report {

using Column = std::vector<double>;

// Over replicas (or tensors) and the steps of a point.
struct Band {
  Column mean;
  Column low;
  Column high;
};

// Where the points of a curve lie.
struct Axis {
  std::vector<int64_t> step; // the last one of a point
  Column epoch;
  Column bytes;
  Column messages;
  Column seconds;
  Column virtual_seconds; // empty without a cost model
};

} // namespace grapevine::report
