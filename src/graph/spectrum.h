// How well a graph mixes, in numbers (DBench eigenvalues, A2CiD2
// constants). Through Eigen; closed forms where the graph is a circulant.
#pragma once

#include "graph/schedule.h"

#include <optional>

namespace grapevine::graph {

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

// Looks at sample_steps() steps of the schedule (see there), from its first;
// where weights have to settle, from when they have.
//
// The chis are those of pairwise gossip along the edges that the schedule
// uses, each as often as it is used in a period, both directions counted:
//
//   c_ij = #(j in row i) + #(i in row j)      over the steps of a period
//   lambda_ij = c_ij / max(d_i, d_j)          d_i = sum_j c_ij
//
// which is 1/|N_i| on an undirected regular graph, counts the offset n/2 of
// the exponential graph twice, and gives every worker a rate of at most 1.
//
// Cost: n * degree where translations leave the graph unchanged (ring, torus,
// lattice, exponential, hypercube, one-peer schedules, ...); else that of a
// sparse Cholesky factor (star, trees, grids), or where it fills in (random
// graphs) of a dense one, n^3 operations and some seconds at n = 4096. Directed
// edge lists need all eigenvalues of a dense matrix, some 25 n^3 operations.
Spectrum analyse(const Schedule& schedule);

} // namespace grapevine::graph
