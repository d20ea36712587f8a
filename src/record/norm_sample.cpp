#include "record/norm_sample.h"

#include "base/check.h"

#include <algorithm>

namespace grapevine::record {

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
