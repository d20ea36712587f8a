// Combine while adapting (decentralized Adam and its kin):
//
//   x_i(t+1) = sum_j W_ij(t) x_j(t)  -  lr * d_i(g_i(x_i(t)))
//
// The gradient is taken at the unmixed x_i(t), so x(t) can travel while it is
// computed: the exchange of a bucket of x(t) starts when the step before has
// finished that bucket, and has a whole iteration to hide in. "From promise to
// practice" (arXiv 2410.11998). L2 decay and the recorded norms use x_i(t);
// AdamW's decay acts on the mixed value.
//
// A step sends what the plan of W sends (comm/plan.h). The mean over workers
// moves as that of adapt-then-combine does; replicas that begin equal do not
// stay so, not even on the complete graph, since each takes its own step.
#pragma once

#include "algo/agreement.h"

namespace grapevine::algo {

class CombineWhileAdapt : public Agreement {
 public:
  using Agreement::Agreement;

  std::string name() const override { return "combine-while-adapt"; }
  Plane exchanged() const override { return Plane::kParameters; }
  bool adapts_first() const override { return false; }
  bool exchanges_ahead() const override { return true; }
  bool keeps_replicas_equal() const override { return false; }
};

} // namespace grapevine::algo
