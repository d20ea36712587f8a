#include "probe/dispersion.h"

#include "base/check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace grapevine::probe {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double ratio(double a, double b) {
  const double result = a / b;
  return std::isfinite(result) ? result : kNan;
}

// Sums over ascending values, each less the smallest. The differences are
// what is measured; norms of replicas agree in their first four digits, which
// would otherwise cancel.
struct Moments {
  double mean = 0;
  double variance = 0;
  // sum_i (2i - n + 1) s_i for i from 0: half of sum_ij |s_i - s_j|. The
  // coefficients add up to 0, so the smallest value drops out.
  double half_differences = 0;
};

Moments moments(std::span<const double> ascending) {
  const double smallest = ascending.front();
  const auto n = static_cast<double>(ascending.size());
  Moments result;
  double excess = 0;
  for (size_t i = 0; i < ascending.size(); ++i) {
    const double above = ascending[i] - smallest;
    excess += above;
    result.half_differences += (2.0 * static_cast<double>(i) - n + 1) * above;
  }
  excess /= n;
  double squares = 0;
  for (const double value : ascending) {
    const double difference = (value - smallest) - excess;
    squares += difference * difference;
  }
  result.mean = smallest + excess;
  result.variance = squares / n;
  return result;
}

} // namespace

double quantile_type7(std::span<const double> ascending, double p) {
  GV_CHECK(!ascending.empty());
  GV_CHECK(p >= 0 && p <= 1);
  const double position = static_cast<double>(ascending.size() - 1) * p;
  const auto below = static_cast<size_t>(position);
  if (below + 1 >= ascending.size()) return ascending.back();
  return ascending[below] + (position - static_cast<double>(below)) *
                                (ascending[below + 1] - ascending[below]);
}

Dispersion dispersion(std::span<const double> values) {
  GV_CHECK(!values.empty());
  if (!std::ranges::all_of(values, [](double v) { return std::isfinite(v); })) {
    return {kNan, kNan, kNan, kNan};
  }
  std::vector<double> ascending(values.begin(), values.end());
  std::ranges::sort(ascending);
  if (ascending.front() == ascending.back()) return {};

  const auto n = static_cast<double>(values.size());
  const auto [mean, variance, half_differences] = moments(ascending);
  const double q1 = quantile_type7(ascending, 0.25);
  const double q3 = quantile_type7(ascending, 0.75);
  return {
      .gini = ratio(half_differences, n * n * mean),
      .index_of_dispersion = ratio(variance, mean),
      .coefficient_of_variation = ratio(std::sqrt(variance), mean),
      .quartile_coefficient = ratio(q3 - q1, q3 + q1)};
}

} // namespace grapevine::probe
