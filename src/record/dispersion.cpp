#include "record/dispersion.h"

#include "base/check.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace grapevine::record {

const std::vector<Metric>& metric_table() {
  static const std::vector<Metric> table = {
      {"gini",
       "Gini coefficient",
       "Mean difference between two replicas' norms, in units of twice the "
       "mean norm.",
       [](const NormSample& s) {
         return s.half_differences() / (s.size() * s.size() * s.mean());
       }},
      {"index_of_dispersion",
       "index of dispersion",
       "Variance of the norms over their mean; the only metric here that "
       "grows with the scale of the tensor.",
       [](const NormSample& s) { return s.variance() / s.mean(); }},
      {"coefficient_of_variation",
       "coefficient of variation",
       "Standard deviation of the norms over their mean.",
       [](const NormSample& s) { return std::sqrt(s.variance()) / s.mean(); }},
      {"quartile_coefficient",
       "quartile coefficient",
       "Distance of the quartiles of the norms over their sum; outliers do "
       "not move it.",
       [](const NormSample& s) {
         const double q1 = s.quantile(0.25);
         const double q3 = s.quantile(0.75);
         return (q3 - q1) / (q3 + q1);
       }},
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

NormSample::NormSample(std::span<const double> values)
    : ascending_(values.begin(), values.end()) {
  GV_CHECK(!ascending_.empty());
  std::ranges::sort(ascending_);
  // Each less the smallest: the differences are what is measured, and norms
  // of replicas agree in their first four digits, which would otherwise
  // cancel.
  const double smallest = ascending_.front();
  double excess = 0;
  for (size_t i = 0; i < ascending_.size(); ++i) {
    const double above = ascending_[i] - smallest;
    excess += above;
    // sum_i (2i - n + 1) s_i, i from 0. The coefficients add up to 0, so the
    // smallest value drops out.
    half_differences_ += (2.0 * static_cast<double>(i) - size() + 1) * above;
  }
  excess /= size();
  double squares = 0;
  for (const double value : ascending_) {
    const double difference = (value - smallest) - excess;
    squares += difference * difference;
  }
  mean_ = smallest + excess;
  variance_ = squares / size();
}

double NormSample::quantile(double p) const {
  return quantile_type7(ascending_, p);
}

double quantile_type7(std::span<const double> ascending, double p) {
  GV_CHECK(!ascending.empty());
  GV_CHECK(p >= 0 && p <= 1);
  const double position = static_cast<double>(ascending.size() - 1) * p;
  const auto below = static_cast<size_t>(position);
  if (below + 1 >= ascending.size()) return ascending.back();
  return ascending[below] + (position - static_cast<double>(below)) *
                                (ascending[below + 1] - ascending[below]);
}

} // namespace grapevine::record
