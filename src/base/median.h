#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace grapevine {

// Returns the mean of the two middle values of an even number; nan of nothing.
inline double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = values.begin() + static_cast<int64_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

} // namespace grapevine
