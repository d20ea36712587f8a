// The outermost eigenvalues of a symmetric operator on the vectors of sum
// zero, by Lanczos iteration.
//
// Plain three-term recurrence: the basis is neither kept nor orthogonalised
// again, so a step costs O(n) besides the operator, and thousands of steps are
// cheap. Lost orthogonality repeats eigenvalues that have been found; the
// outermost ones stay right to rounding (Paige 1980).
#pragma once

#include <Eigen/Core>

#include <functional>

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

} // namespace grapevine::graph
