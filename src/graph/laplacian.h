// The outermost eigenvalues of a symmetric operator on the vectors of sum
// zero, by Lanczos iteration.
//
// Plain three-term recurrence: the basis is neither kept nor orthogonalised
// again, so a step costs O(n) besides the operator, and thousands of steps are
// cheap. Lost orthogonality repeats eigenvalues that have been found; the
// outermost ones stay right to rounding (Paige 1980).
//
// (Spectra's restarted Lanczos, tried instead: of a path of 4096 workers it
// finds the smallest eigenvalue to 1e-6 of itself, this one to 2e-9, in less
// time.)
#pragma once

#include "graph/mixing.h"
#include "graph/translations.h"

#include <Eigen/Core>

#include <functional>
#include <vector>

namespace grapevine::graph {

struct Extremes {
  double smallest;
  double largest;
};

// y = A x. x is orthogonal to the constant vector; what y has of it is taken
// off again.
using Operator = std::function<Eigen::VectorXd(const Eigen::VectorXd&)>;

// n >= 2. Exact to about 1e-14 of the largest modulus, also where the spectrum
// is as crowded at its ends as a path's or a ring's is.
//
// rounding is for A = B^T B: an error of `rounding` in B x is one of
// rounding * sqrt(|A|) in A x, below which no convergence can be asked for.
Extremes extreme_eigenvalues(int n, const Operator& apply, double rounding = 0);

// The Laplacian of a connected weighted graph: its smallest positive and its
// largest eigenvalue, and its effective resistances.
//
//   Lambda = diag(sum_j lambda_ij) - (lambda_ij)
//
// The eigenvalues by Lanczos iteration. The resistances from a sparse Cholesky
// factor where the graph leaves it sparse (trees, stars, grids); else from a
// dense one: n^3 operations and 2 n^2 doubles, some seconds at n = 4096.
class Laplacian {
 public:
  // The row function gives lambda_ij, symmetric; diagonal terms are ignored.
  Laplacian(int n, const RowFunction& row);

  // `smallest` is the smallest positive one.
  Extremes eigenvalue_range() const;

  // max over edges of 1/2 (e_i - e_j)^T pinv(Lambda) (e_i - e_j)
  double largest_half_resistance() const;

 private:
  std::vector<std::vector<Term>> rows_; // off the diagonal
};

} // namespace grapevine::graph
