#include "base/check.h"
#include "record/metrics/metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace grapevine::record {

const std::vector<Metric>& metric_table() {
  static const std::vector<Metric> table = {
      gini(),
      index_of_dispersion(),
      coefficient_of_variation(),
      quartile_coefficient(),
  };
  return table;
}

std::vector<double> measure_all(std::span<const double> values) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  GV_CHECK(!values.empty());
  const std::vector<Metric>& table = metric_table();
  if (!std::ranges::all_of(values, [](double v) { return std::isfinite(v); })) {
    return std::vector<double>(table.size(), kNan);
  }
  const NormSample sample(values);
  if (sample.ascending().front() == sample.ascending().back()) {
    return std::vector<double>(table.size(), 0.0);
  }
  std::vector<double> results;
  for (const Metric& metric : table) {
    const double result = metric.measure(sample);
    results.push_back(std::isfinite(result) ? result : kNan);
  }
  return results;
}

} // namespace grapevine::record
