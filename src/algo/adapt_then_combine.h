// Adapt, then combine (decentralized SGD as DBench trains it):
//
//   y_i = x_i - lr * d_i(g_i)         the local rule, its state stays local
//   x_i = sum_j W_ij y_j
//
// Norms are those of y_i, before averaging. A step sends what the plan of W
// sends (comm/plan.h): d messages and d model copies a worker directly, at
// most 4 of each for any lattice, 2(n-1)/n copies on the complete graph.
#pragma once

#include "algo/agreement.h"

namespace grapevine::algo {

class AdaptThenCombine : public Agreement {
 public:
  using Agreement::Agreement;

  std::string name() const override { return "adapt-then-combine"; }
  Plane exchanged() const override { return Plane::kParameters; }
  bool adapts_first() const override { return true; }
  bool keeps_replicas_equal() const override { return true; }
};

} // namespace grapevine::algo
