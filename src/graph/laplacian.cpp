#include "graph/laplacian.h"

#include "base/check.h"
#include "graph/lanczos.h"

#include <Eigen/Cholesky>
#include <Eigen/SparseCholesky>

#include <algorithm>
#include <optional>

namespace grapevine::graph {
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

Laplacian::EigenvalueRange Laplacian::eigenvalue_range() const {
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
  const Extremes range = extreme_eigenvalues(n, multiply);
  return {range.smallest, range.largest};
}

double Laplacian::largest_half_resistance() const {
  const auto sparse = half_resistance_sparse(rows_);
  return sparse ? *sparse : half_resistance_dense(rows_);
}

} // namespace grapevine::graph
