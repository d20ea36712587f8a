// Means, spreads and what stands out, of a handful of numbers.
//
// NaN stands for "undefined" everywhere in this layer. Functions over a sample
// expect finite values; finite() picks them.
#pragma once

#include <limits>
#include <span>
#include <vector>

namespace grapevine::report {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Both ends; NaN where there is none.
struct Interval {
  double low = kNan;
  double high = kNan;

  bool exists() const { return low <= high; }
  bool excludes(double value) const { return value < low || value > high; }
};

// mean: NaN of none. sd: sqrt(sum (x - mean)^2 / (count - 1)), NaN below 2.
struct Summary {
  double mean = kNan;
  double sd = kNan;
  int count = 0;
};

std::vector<double> finite(std::span<const double> values);

double mean(std::span<const double> values);
double sample_deviation(std::span<const double> values);
// Over the finite ones.
Summary summarize(std::span<const double> values);

// The middle one, or the mean of the two middle ones; NaN of none.
double median(std::vector<double> values);

// How far each value lies from the rest:
//
//   z_i = (x_i - median) / (1.4826 median_j |x_j - median|)
//
// The factor makes the scale that of a normal distribution's sd. NaN for
// values that are not finite, and for all where the scale is 0.
std::vector<double> robust_z(std::span<const double> values);

} // namespace grapevine::report
