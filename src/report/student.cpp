#include "report/student.h"

#include "base/check.h"

#include <cmath>
#include <vector>

namespace grapevine::report {
namespace {

// The continued fraction of the incomplete beta function, by the modified
// method of Lentz; it converges fast for x < (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  constexpr double kPrecision = 1e-16;
  constexpr int kMostTerms = 10000;
  const auto away_from_zero = [](double v) {
    return std::abs(v) < kTiny ? kTiny : v;
  };
  double c = 1;
  double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double fraction = d;
  for (int m = 1; m <= kMostTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    fraction *= d * c;
    const double odd =
        -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    const double change = d * c;
    fraction *= change;
    if (std::abs(change - 1) < kPrecision) break;
  }
  return fraction;
}

// The regularised incomplete beta function I_x(a, b).
double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(
      std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) +
      b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

// P(T > t) for t >= 0.
double upper_tail(double t, double freedom) {
  return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t)) / 2;
}

} // namespace

double student_cdf(double t, double freedom) {
  GV_CHECK(freedom > 0);
  return t >= 0 ? 1 - upper_tail(t, freedom) : upper_tail(-t, freedom);
}

double student_quantile(double p, double freedom) {
  GV_CHECK(p > 0 && p < 1);
  if (p < 0.5) return -student_quantile(1 - p, freedom);
  if (p == 0.5) return 0;
  double low = 0;
  double high = 1;
  while (upper_tail(high, freedom) > 1 - p)
    high *= 2;
  // Bisection to the last bit: a few dozen steps, and nothing to go wrong.
  for (;;) {
    const double middle = (low + high) / 2;
    if (middle <= low || middle >= high) return middle;
    (upper_tail(middle, freedom) > 1 - p ? low : high) = middle;
  }
}

MeanInterval mean_interval(std::span<const double> values) {
  const Summary summary = summarize(values);
  MeanInterval result{summary.mean, {}, summary.count};
  if (summary.count < 2) return result;
  const double n = summary.count;
  const double half =
      student_quantile(0.975, n - 1) * summary.sd / std::sqrt(n);
  result.interval = {summary.mean - half, summary.mean + half};
  return result;
}

MeanInterval paired_difference(const BySeed& a, const BySeed& b) {
  std::vector<double> differences;
  for (const auto& [seed, value] : a) {
    const auto other = b.find(seed);
    if (other != b.end()) differences.push_back(value - other->second);
  }
  return mean_interval(differences);
}

} // namespace grapevine::report
