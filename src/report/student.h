// Student's t distribution, and the interval that it gives for a mean.
#pragma once

#include "report/statistics.h"

#include <cstdint>
#include <map>
#include <span>

namespace grapevine::report {

// P(T <= t) with `freedom` > 0 degrees of freedom.
double student_cdf(double t, double freedom);
// The t with student_cdf(t) = p, 0 < p < 1 (checked).
double student_quantile(double p, double freedom);

// The mean of a sample with its 95 % interval:
//
//   mean +- t(0.975, n - 1) sd / sqrt(n)
//
// No interval below 2 values.
struct MeanInterval {
  double mean = kNan;
  Interval interval;
  int count = 0;
};
MeanInterval mean_interval(std::span<const double> values);

// A value a seed.
using BySeed = std::map<uint64_t, double>;
// Of the differences a - b over the seeds that both have. Seeds decide the
// data order and the initial values, so pairing removes what they share.
MeanInterval paired_difference(const BySeed& a, const BySeed& b);

} // namespace grapevine::report
