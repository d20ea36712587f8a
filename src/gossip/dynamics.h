// The constants of asynchronous gossip (A2CiD2, arXiv 2306.08289).
//
//   dx_i = eta (y_i - x_i) dt - lr d_i dN_i - alpha   sum_j (x_i - x_j) dM_ij
//   dy_i = eta (x_i - y_i) dt - lr d_i dN_i - alpha_y sum_j (x_i - x_j) dM_ij
//
// x_i: the replica of worker i; y_i its companion; N_i its gradients, one each
// unit of time; M_ij its averagings with j, at the intensity
// rate * lambda_ij (graph/spectrum.h). With chi1 and chi2 of the graph at
// this rate:
//
//   alpha = 1/2 ;  eta = 1 / (2 sqrt(chi1 chi2)) ;  alpha_y = sqrt(chi1/chi2)/2
//
// eta = 0 is the plain randomized pairwise average (AD-PSGD); the companion
// then has no influence on x and need not exist.
#pragma once

#include "graph/spectrum.h"

namespace grapevine::gossip {

struct Dynamics {
  double eta = 0;
  double alpha = 0.5;
  double alpha_y = 0.5;

  bool is_accelerated() const { return eta > 0; }
};

// Without momentum, on any graph.
Dynamics plain_dynamics();

// rate: averagings that a worker takes part in for each of its gradients. The
// chis of `spectrum` are those of rate 1. ConfigError where the graph is not
// connected, so that there are none; a single worker has plain ones.
Dynamics
accelerated_dynamics(const graph::Spectrum& spectrum, int n, double rate);

// How far x and its companion flow towards each other in `tau` units of time:
// (1 - exp(-2 eta tau)) / 2.
double flow_share(const Dynamics& dynamics, double tau);

} // namespace grapevine::gossip
