#include "graph/lanczos.h"

#include "base/random.h"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace grapevine::graph {
namespace {

using Eigen::VectorXd;

constexpr double kTolerance = 1e-14;
constexpr int kFirstCheck = 32;

VectorXd start_vector(int n) {
  // Any vector with a part of every eigenvector will do; always the same one.
  Random random(0, Purpose::kGraph, 0x6c616e63);
  VectorXd v(n);
  for (int i = 0; i < n; ++i)
    v[i] = random.normal();
  v.array() -= v.mean();
  return v.normalized();
}

// The recurrence  beta_m v_{m+1} = A v_m - alpha_m v_m - beta_{m-1} v_{m-1}.
class Recurrence {
 public:
  Recurrence(int n, const Operator& apply)
      : apply_(apply),
        v_(start_vector(n)),
        previous_(VectorXd::Zero(n)) {}

  // False when an invariant subspace is reached: what was found is exact.
  bool step() {
    VectorXd w = apply_(v_);
    const double mean = v_.mean();
    w.array() -= w.mean();
    if (beta_.empty()) inside_ = v_.dot(w);
    w.array() += inside_ * mean;
    if (!beta_.empty()) w -= beta_.back() * previous_;
    alpha_.push_back(v_.dot(w));
    w -= alpha_.back() * v_;
    beta_.push_back(w.norm());
    scale_ = std::max({scale_, std::abs(alpha_.back()), beta_.back()});
    const double floor = std::numeric_limits<double>::min();
    if (beta_.back() <= std::max(kTolerance * scale_, floor)) return false;
    previous_ = std::exchange(v_, w / beta_.back());
    return true;
  }

  int steps() const { return static_cast<int>(alpha_.size()); }

  Extremes extremes() const {
    const int m = steps();
    const VectorXd diagonal = Eigen::Map<const VectorXd>(alpha_.data(), m);
    const VectorXd below = Eigen::Map<const VectorXd>(beta_.data(), m - 1);
    Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver;
    solver.computeFromTridiagonal(diagonal, below, Eigen::EigenvaluesOnly);
    return {solver.eigenvalues()[0], solver.eigenvalues()[m - 1]};
  }

 private:
  const Operator& apply_;
  VectorXd v_;
  VectorXd previous_;
  std::vector<double> alpha_;
  std::vector<double> beta_;
  double scale_ = 0;
  // Rounding brings the constant vector back, so it must not be an outermost
  // one: it is given this eigenvalue, which lies inside the range.
  double inside_ = 0;
};

bool same(const Extremes& a, const Extremes& b, double rounding) {
  const double change = std::max(
      std::abs(a.smallest - b.smallest),
      std::abs(a.largest - b.largest));
  const double scale = std::max(std::abs(a.smallest), std::abs(a.largest));
  return change <= std::max(kTolerance * scale, rounding * std::sqrt(scale));
}

} // namespace

Extremes extreme_eigenvalues(int n, const Operator& apply, double rounding) {
  // In exact arithmetic n-1 steps are all; rounding may ask for some more.
  const int max_steps = 3 * n + kFirstCheck;
  Recurrence recurrence(n, apply);
  Extremes last = {};
  for (int check = kFirstCheck;; check += check / 2) {
    while (recurrence.steps() < std::min(check, max_steps)) {
      if (!recurrence.step()) return recurrence.extremes();
    }
    const Extremes now = recurrence.extremes();
    // Half as many steps again without a change: they have converged.
    const bool converged = check > kFirstCheck && same(now, last, rounding);
    if (converged || check >= max_steps) return now;
    last = now;
  }
}

} // namespace grapevine::graph
