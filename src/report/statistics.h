// Statistics of a handful of numbers: means, spreads, ranks, and the intervals
// that say whether a difference is one.
//
// NaN stands for "undefined" everywhere in this layer. Functions over a sample
// expect finite values; finite() picks them.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <vector>

namespace grapevine::report {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Both ends; NaN if there is no interval.
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
// Summarizes the finite values.
Summary summarize(std::span<const double> values);

// Returns the middle value, or the mean of the two middle ones; NaN of none.
double median(std::vector<double> values);

// Returns how far each value lies from the rest:
//
//   z_i = (x_i - median) / (1.4826 median_j |x_j - median|)
//
// The factor makes the scale that of a normal distribution's sd. NaN for
// values that are not finite, and for all if the scale is 0.
std::vector<double> robust_z(std::span<const double> values);

// Returns ranks from 1; equal values get the mean of the ranks that they take
// together.
std::vector<double> ranks(std::span<const double> values);

// Returns Spearman's rank correlation: Pearson's correlation of the ranks.
//
//   rho = cov(rank x, rank y) / (sd(rank x) sd(rank y))
//
// NaN if x or y has no two different values. It depends on the order of the
// values alone, so any increasing transformation leaves it unchanged. Spans of
// one length (checked).
double spearman(std::span<const double> x, std::span<const double> y);

// Returns the t with P(T <= t) = p of Student's distribution with `freedom` > 0
// degrees of freedom, 0 < p < 1 (checked).
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

// A value per seed.
using BySeed = std::map<uint64_t, double>;
// Returns the interval of the differences a - b over the seeds that both have.
// Seeds decide the data order and the initial values, so pairing removes what
// they share.
MeanInterval paired_difference(const BySeed& a, const BySeed& b);

inline constexpr int kBootstrapDrawings = 2000;

// The percentile bootstrap over seeds: what would the figure have been with
// other seeds? Seeds are drawn with replacement, as many as there are; all that
// belongs to a drawn seed comes along, as often as the seed was drawn, since
// runs of one seed share their data order and initial values. Of few seeds
// there are few drawings: with three, the interval reaches about from the
// lowest to the highest seed.
//
// item_seeds[i] is the seed of item i; `figure` gets how often each item was
// drawn. Returns the 2.5 % and 97.5 % quantiles (type 7) over the drawings in
// which the figure is defined; no interval with fewer than 2 seeds or if it is
// defined in less than half of the drawings. The same for the same input: the
// random seed is fixed.
Interval bootstrap_over_seeds(
    std::span<const uint64_t> item_seeds,
    const std::function<double(std::span<const int> counts)>& figure,
    int drawings = kBootstrapDrawings);

} // namespace grapevine::report
