// How well a graph mixes, in numbers (DBench eigenvalues, A2CiD2 constants).
// Closed forms if the graph is a circulant, else Eigen and Lanczos iteration.
#pragma once

#include "graph/mixing.h"
#include "graph/schedule.h"

#include <memory>
#include <optional>
#include <vector>

namespace grapevine::graph {

// How often each pair of workers communicates: the rates of A2CiD2's gossip
// (arXiv 2306.08289), in which every worker has a rate of at most 1.
//
//   c_ij = #(j in row i) + #(i in row j)      over the given steps
//   lambda_ij = c_ij / max(d_i, d_j)          d_i = sum_j c_ij
//
// A directed graph thus counts as A + A^T. Rows are made on demand, as those of
// a Mixing are.
class PairRates {
 public:
  explicit PairRates(std::vector<std::shared_ptr<const Mixing>> steps);

  int n() const { return n_; }
  // Returns the j with lambda_ij > 0, ascending, with lambda_ij as weight.
  std::vector<Term> row(int i) const;

 private:
  int n_;
  std::vector<std::shared_ptr<const Mixing>> steps_;
  std::vector<double> totals_; // d_i
};

// Returns how far a sequence of mixings is from the global average:
//
//   || W_T ... W_2 W_1 - 11^T/n ||_2
//
// By Lanczos iteration on B^T B, applying the mixings to vectors; no matrix is
// multiplied out. Results below about 1e-15 are rounding, that is, zero.
double distance_from_average(
    const std::vector<std::shared_ptr<const Mixing>>& steps);

struct Spectrum {
  double degree;            // other workers in a row of W, the largest;
                            // schedules: its mean over a period
  double second_eigenvalue; // largest modulus but one of W; schedules: 2-norm
                            // of a period's product minus the average
  double spectral_gap;      // 1 - second_eigenvalue
  // A2CiD2 at rate 1; absent (JSON null) where the graph is not connected
  // or n is 1.
  std::optional<double> chi1;
  std::optional<double> chi2;
  std::optional<double> eta;
  std::optional<double> alpha_tilde;
};

// Looks at sample_steps() steps of the schedule (see there), from its first; if
// weights have to settle, from when they have.
//
// The chis are those of pairwise gossip with the PairRates of a period: 1/|N_i|
// on an undirected regular graph; the offset n/2 of the exponential graph
// counts twice.
//
// Cost: n * degree if translations leave the graph unchanged (ring, torus,
// lattice, exponential, hypercube, one-peer schedules, ...); else that of a
// sparse Cholesky factor (star, trees, grids), or if it fills in (random
// graphs) of a dense one, n^3 operations and some seconds at n = 4096. Directed
// edge lists need all eigenvalues of a dense matrix, some 25 n^3 operations.
Spectrum analyse(const Schedule& schedule);

} // namespace grapevine::graph
