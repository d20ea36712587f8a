// Push-sum, stochastic gradient push (Assran, Loizou, Ballas, Rabbat 2019):
//
//   y_i = z_i - (lr / w_i) * d_i(g_i(z_i))    the local rule
//   z_i = sum_j A_ij w_j y_j / w'_i           w' = A w
//
// A need only be column-stochastic: everybody shares equally with whomever it
// sends to (graph/push_schedule.h, which has the weights w). With x_i = w_i z_i
// this is x <- A (x - lr d), so the mean of x moves by the mean of the steps,
// however lopsided the graph is. The parameters are z. Where A is doubly
// stochastic, w = 1 and all this is adapt-then-combine, bit for bit.
//
// The step sends what the plan of the mixing sends (comm/plan.h): outdegree
// messages and model copies a worker; weights are computed, not sent.
#pragma once

#include "algo/adapt_then_combine.h"

namespace grapevine::algo {

class PushSum : public AdaptThenCombine {
 public:
  using AdaptThenCombine::AdaptThenCombine;

  std::string name() const override { return "push-sum"; }
  bool takes_weights() const override { return true; }
};

} // namespace grapevine::algo
