#include "report/spearman.h"

#include "base/check.h"
#include "report/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace grapevine::report {

std::vector<double> ranks(std::span<const double> values) {
  std::vector<int> indices(values.size());
  std::iota(indices.begin(), indices.end(), 0);
  std::ranges::stable_sort(indices, {}, [&](int i) { return values[i]; });
  std::vector<double> ranks(values.size());
  for (size_t begin = 0; begin < indices.size();) {
    size_t end = begin + 1;
    while (end < indices.size() &&
           values[indices[end]] == values[indices[begin]])
      ++end;
    for (size_t i = begin; i < end; ++i) {
      ranks[indices[i]] = static_cast<double>(begin + end + 1) / 2;
    }
    begin = end;
  }
  return ranks;
}

double spearman(std::span<const double> x, std::span<const double> y) {
  GV_CHECK_EQ(x.size(), y.size());
  const std::vector<double> rank_x = ranks(x);
  const std::vector<double> rank_y = ranks(y);
  const double middle = (static_cast<double>(x.size()) + 1) / 2; // their mean
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xx += (rank_x[i] - middle) * (rank_x[i] - middle);
    yy += (rank_y[i] - middle) * (rank_y[i] - middle);
    xy += (rank_x[i] - middle) * (rank_y[i] - middle);
  }
  if (xx <= 0 || yy <= 0) return kNan;
  return std::clamp(xy / std::sqrt(xx * yy), -1.0, 1.0);
}

} // namespace grapevine::report
