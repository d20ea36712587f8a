#include "graph/laplacian.h"

#include "base/check.h"
#include "base/random.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
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

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Rows = std::vector<std::vector<Term>>;
using SparseFactor = Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>>;

constexpr int kBlock = 128;

// Graphs with more edges a worker fill in; trying would be wasted.
constexpr int kMaxSparseDegree = 8;
// A factor with more entries than n^2 / this is handled as a dense matrix.
constexpr int64_t kSparseShare = 64;

size_t count_terms(const Rows& rows) {
  size_t count = 0;
  for (const auto& row : rows)
    count += row.size();
  return count;
}

// Lambda without the row and column of the last worker, who is held at zero:
// positive definite, and the resistances between the others and to it are
// those of the whole.
Eigen::SparseMatrix<double> grounded(const Rows& rows) {
  const int last = static_cast<int>(rows.size()) - 1;
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < last; ++i) {
    for (const Term& term : rows[i]) {
      entries.emplace_back(i, i, term.weight);
      if (term.rank != last) entries.emplace_back(i, term.rank, -term.weight);
    }
  }
  Eigen::SparseMatrix<double> matrix(last, last);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

// With G the inverse of the grounded Laplacian, the resistance between i and
// j is G_ii + G_jj - 2 G_ij, column by column.
std::optional<double> half_resistance_sparse(const Rows& rows) {
  const int64_t n = static_cast<int64_t>(rows.size());
  if (count_terms(rows) > static_cast<size_t>(n) * kMaxSparseDegree) return {};
  const SparseFactor factor(grounded(rows));
  GV_CHECK(factor.info() == Eigen::Success);
  const int64_t entries = factor.matrixL().nestedExpression().nonZeros();
  if (entries > n * n / kSparseShare + 4 * n) return {};

  const int last = static_cast<int>(n) - 1;
  VectorXd self = VectorXd::Zero(n);
  Rows mutual(n);
  for (int i = 0; i < last; ++i) {
    const VectorXd column = factor.solve(VectorXd::Unit(last, i));
    self[i] = column[i];
    for (const Term& term : rows[i]) {
      const double value = term.rank == last ? 0 : column[term.rank];
      mutual[i].push_back({term.rank, value});
    }
  }
  double largest = 0;
  for (int i = 0; i < last; ++i) {
    for (const auto& [j, value] : mutual[i]) {
      largest = std::max(largest, (self[i] + self[j] - 2 * value) / 2);
    }
  }
  return largest;
}

// Lambda + 11^T/n: positive definite, and Lambda itself on differences.
MatrixXd shifted(const Rows& rows) {
  const int n = static_cast<int>(rows.size());
  MatrixXd matrix = MatrixXd::Constant(n, n, 1.0 / n);
  for (int i = 0; i < n; ++i) {
    for (const Term& term : rows[i]) {
      matrix(i, term.rank) -= term.weight;
      matrix(i, i) += term.weight;
    }
  }
  return matrix;
}

// L^-1 of a lower triangular L, by blocks of columns: what lies above a
// block's first row is zero, which saves two thirds of the work.
MatrixXd invert_lower(const MatrixXd& l) {
  const int n = static_cast<int>(l.rows());
  MatrixXd inverse = MatrixXd::Zero(n, n);
  for (int begin = 0; begin < n; begin += kBlock) {
    const int width = std::min(kBlock, n - begin);
    const int height = n - begin;
    auto block = inverse.block(begin, begin, height, width);
    block.topRows(width).setIdentity();
    l.bottomRightCorner(height, height)
        .triangularView<Eigen::Lower>()
        .solveInPlace(block);
  }
  return inverse;
}

// The resistance is |L^-1 (e_i - e_j)|^2.
double half_resistance_dense(const Rows& rows) {
  const Eigen::LLT<MatrixXd> factor(shifted(rows));
  GV_CHECK(factor.info() == Eigen::Success);
  const MatrixXd inverse = invert_lower(factor.matrixLLT());
  double largest = 0;
  for (int i = 0; i < static_cast<int>(rows.size()); ++i) {
    for (const Term& term : rows[i]) {
      if (term.rank < i) continue;
      const auto difference = inverse.col(i) - inverse.col(term.rank);
      largest = std::max(largest, difference.squaredNorm() / 2);
    }
  }
  return largest;
}

} // namespace

Laplacian::Laplacian(int n, const RowFunction& row) : rows_(n) {
  for (int i = 0; i < n; ++i) {
    rows_[i] = row(i);
    std::erase_if(rows_[i], [i](const Term& term) { return term.rank == i; });
  }
}

Extremes Laplacian::eigenvalue_range() const {
  const auto multiply = [&](const VectorXd& x) {
    VectorXd y = VectorXd::Zero(x.size());
    for (int i = 0; i < x.size(); ++i) {
      // Differences first: the small eigenvalues live on small ones.
      for (const Term& t : rows_[i])
        y[i] += t.weight * (x[i] - x[t.rank]);
    }
    return y;
  };
  const int n = static_cast<int>(rows_.size());
  return extreme_eigenvalues(n, multiply);
}

double Laplacian::largest_half_resistance() const {
  const auto sparse = half_resistance_sparse(rows_);
  return sparse ? *sparse : half_resistance_dense(rows_);
}

} // namespace grapevine::graph
