#include "report/statistics.h"

#include "base/median.h"

#include <algorithm>
#include <cmath>

namespace grapevine::report {

std::vector<double> finite(std::span<const double> values) {
  std::vector<double> kept;
  for (const double value : values) {
    if (std::isfinite(value)) kept.push_back(value);
  }
  return kept;
}

double mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values)
    sum += value;
  return values.empty() ? kNan : sum / static_cast<double>(values.size());
}

double sample_deviation(std::span<const double> values) {
  if (values.size() < 2) return kNan;
  const double centre = mean(values);
  double squares = 0;
  for (const double value : values)
    squares += (value - centre) * (value - centre);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

Summary summarize(std::span<const double> values) {
  const std::vector<double> kept = finite(values);
  return {
      .mean = mean(kept),
      .sd = sample_deviation(kept),
      .count = static_cast<int>(kept.size())};
}

double median(std::vector<double> values) {
  return grapevine::median(std::move(values));
}

std::vector<double> robust_z(std::span<const double> values) {
  constexpr double kNormalScale = 1.4826;
  const std::vector<double> kept = finite(values);
  const double centre = median(kept);
  std::vector<double> distances;
  distances.reserve(kept.size());
  for (const double value : kept)
    distances.push_back(std::abs(value - centre));
  const double scale = kNormalScale * median(distances);
  std::vector<double> z;
  z.reserve(values.size());
  for (const double value : values) {
    const bool defined = std::isfinite(value) && scale > 0;
    z.push_back(defined ? (value - centre) / scale : kNan);
  }
  return z;
}

} // namespace grapevine::report
