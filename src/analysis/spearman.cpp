#include "analysis/spearman.h"

#include "analysis/statistics.h"
#include "base/check.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace grapevine::analysis {

SpearmanOfDrawings::SpearmanOfDrawings(
    std::span<const double> x,
    std::span<const double> y)
    : x_(order(x)),
      y_(order(y)) {
  GV_CHECK_EQ(x.size(), y.size());
}

SpearmanOfDrawings::Order SpearmanOfDrawings::order(
    std::span<const double> values) {
  Order order;
  order.indices.resize(values.size());
  std::iota(order.indices.begin(), order.indices.end(), 0);
  std::ranges::stable_sort(order.indices, {}, [&](int i) { return values[i]; });
  for (size_t i = 0; i < values.size(); ++i) {
    order.begins_group.push_back(
        i == 0 || values[order.indices[i]] != values[order.indices[i - 1]]);
  }
  return order;
}

std::vector<double> SpearmanOfDrawings::drawn_ranks(
    const Order& order,
    std::span<const int> counts) {
  std::vector<double> ranks(counts.size());
  double below = 0;
  for (size_t begin = 0; begin < ranks.size();) {
    size_t end = begin;
    double equal = 0;
    do {
      equal += counts[order.indices[end++]];
    } while (end < ranks.size() && !order.begins_group[end]);
    for (size_t i = begin; i < end; ++i) {
      ranks[order.indices[i]] = below + (equal + 1) / 2;
    }
    below += equal;
    begin = end;
  }
  return ranks;
}

double SpearmanOfDrawings::operator()(std::span<const int> counts) const {
  const std::vector<double> x = drawn_ranks(x_, counts);
  const std::vector<double> y = drawn_ranks(y_, counts);
  const double drawn = std::accumulate(counts.begin(), counts.end(), 0.0);
  const double middle = (drawn + 1) / 2; // the mean of any ranks
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    xx += counts[i] * (x[i] - middle) * (x[i] - middle);
    yy += counts[i] * (y[i] - middle) * (y[i] - middle);
    xy += counts[i] * (x[i] - middle) * (y[i] - middle);
  }
  if (xx <= 0 || yy <= 0) return kNan;
  return std::clamp(xy / std::sqrt(xx * yy), -1.0, 1.0);
}

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
  return SpearmanOfDrawings(x, y)(std::vector<int>(x.size(), 1));
}

} // namespace grapevine::analysis
