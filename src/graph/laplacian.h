// The Laplacian of a connected weighted graph: the range of its
// positive eigenvalues, and its effective resistances.
//
//   Lambda = diag(sum_j lambda_ij) - (lambda_ij)
//
// The eigenvalues by Lanczos iteration. The resistances from a sparse Cholesky
// factor where the graph leaves it sparse (trees, stars, grids); else from a
// dense one: n^3 operations and 2 n^2 doubles, some seconds at n = 4096.
#pragma once

#include "graph/mixing.h"
#include "graph/translations.h"

#include <vector>

namespace grapevine::graph {

class Laplacian {
 public:
  // The row function gives lambda_ij, symmetric; diagonal terms are ignored.
  Laplacian(int n, const RowFunction& row);

  // The smallest positive eigenvalue and the largest one.
  struct EigenvalueRange {
    double smallest;
    double largest;
  };
  EigenvalueRange eigenvalue_range() const;

  // max over edges of 1/2 (e_i - e_j)^T pinv(Lambda) (e_i - e_j)
  double largest_half_resistance() const;

 private:
  std::vector<std::vector<Term>> rows_; // off the diagonal
};

} // namespace grapevine::graph
