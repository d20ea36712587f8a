// n numbers prepared for measuring how unequal they are: sorted once, summed
// once, for all metrics.
#pragma once

#include <span>
#include <vector>

namespace grapevine::record {

class NormSample {
 public:
  // At least one value (checked).
  explicit NormSample(std::span<const double> values);

  std::span<const double> ascending() const { return ascending_; }
  double size() const { return static_cast<double>(ascending_.size()); }
  double mean() const { return mean_; }
  double variance() const { return variance_; } // of the population
  // sum_ij |s_i - s_j| / 2
  double half_differences() const { return half_differences_; }
  // p in [0, 1], type 7.
  double quantile(double p) const;

 private:
  std::vector<double> ascending_;
  double mean_ = 0;
  double variance_ = 0;
  double half_differences_ = 0;
};

// The quantile p in [0, 1] of ascending values by linear interpolation
// between the order statistics around (n-1) p: type 7 of Hyndman and Fan.
double quantile_type7(std::span<const double> ascending, double p);

} // namespace grapevine::record
