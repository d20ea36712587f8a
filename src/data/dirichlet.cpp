#include "data/dirichlet.h"

#include <algorithm>
#include <cmath>

namespace grapevine::data {
namespace {

constexpr double kLeastShare = 1e-30;

// The logarithm of a Gamma(shape) number, shape >= 1 (Marsaglia, Tsang 2000).
double log_gamma_at_least_one(Random& random, double shape) {
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = random.normal();
    const double v = 1 + c * x;
    if (v <= 0) continue;
    const double v3 = v * v * v;
    const double u = 1 - random.uniform(); // above 0
    if (std::log(u) < x * x / 2 + d - d * v3 + d * std::log(v3)) {
      return std::log(d * v3);
    }
  }
}

// Small shapes underflow, so all of it is in logarithms: Gamma(a) is
// Gamma(a + 1) U^(1/a).
double log_gamma(Random& random, double shape) {
  if (shape >= 1) return log_gamma_at_least_one(random, shape);
  const double boosted = log_gamma_at_least_one(random, shape + 1);
  return boosted + std::log(1 - random.uniform()) / shape;
}

} // namespace

std::vector<double> draw_dirichlet(Random& random, int count, double alpha) {
  std::vector<double> shares(count);
  for (double& share : shares)
    share = log_gamma(random, alpha);
  const double largest = *std::max_element(shares.begin(), shares.end());
  double sum = 0;
  for (double& share : shares) {
    share = std::max(std::exp(share - largest), kLeastShare);
    sum += share;
  }
  for (double& share : shares)
    share /= sum;
  return shares;
}

} // namespace grapevine::data
