// Sums of short lists.
#pragma once

#include <numeric>
#include <vector>

namespace grapevine::run {

inline double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

inline double mean_of(const std::vector<double>& values) {
  return sum_of(values) / static_cast<double>(values.size());
}

} // namespace grapevine::run
