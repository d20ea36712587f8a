#include "graph/period_product.h"

#include "graph/lanczos.h"

#include <algorithm>
#include <cmath>

namespace grapevine::graph {
namespace {

using Eigen::VectorXd;

VectorXd average_groups(const Mixing& mixing, const VectorXd& x) {
  VectorXd y(x.size());
  for (const auto& group : mixing.group_list()) {
    double sum = 0;
    for (const int i : group)
      sum += x[i];
    for (const int i : group)
      y[i] = sum / static_cast<double>(group.size());
  }
  return y;
}

// W x, or W^T x.
VectorXd apply(const Mixing& mixing, const VectorXd& x, bool transposed) {
  if (mixing.form() == Mixing::Form::kComplete) {
    return VectorXd::Constant(x.size(), x.mean());
  }
  if (mixing.form() == Mixing::Form::kGroups) return average_groups(mixing, x);
  VectorXd y = VectorXd::Zero(x.size());
  for (int i = 0; i < mixing.n(); ++i) {
    for (const Term& term : mixing.row(i)) {
      const int from = transposed ? i : term.rank;
      const int to = transposed ? term.rank : i;
      y[to] += term.weight * x[from];
    }
  }
  return y;
}

} // namespace

double distance_from_average(
    const std::vector<std::shared_ptr<const Mixing>>& steps) {
  const int n = steps.at(0)->n();
  if (n == 1) return 0;
  const auto there_and_back = [&](const VectorXd& x) {
    VectorXd y = x;
    for (const auto& mixing : steps)
      y = apply(*mixing, y, false);
    // Off with the average before going back, lest its rounding grow.
    y.array() -= y.mean();
    for (auto it = steps.rbegin(); it != steps.rend(); ++it) {
      y = apply(**it, y, true);
    }
    return y;
  };
  constexpr double kRounding = 4e-15;
  const double squared =
      extreme_eigenvalues(n, there_and_back, kRounding).largest;
  return std::sqrt(std::max(squared, 0.0));
}

} // namespace grapevine::graph
