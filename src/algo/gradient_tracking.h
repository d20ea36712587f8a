// Gradient tracking, for data that differ from worker to worker (DIGing:
// Nedic, Olshevsky, Shi 2017; NEXT: Di Lorenzo, Scutari 2016):
//
//   y_i(t)   = g_i(t) + s_i(t-1)              the tracker, s_i(-1) = 0
//   x_i(t+1) = sum_j W_ij (x_j - lr d_j(y_j(t)))
//   s_i(t)   = sum_j W_ij y_j(t) - g_i(t)
//
// that is, y(t+1) = W y(t) + g(t+1) - g(t) and y(0) = g(0). The local rule
// takes y_i where it would take the gradient. sum_i y_i = sum_i g_i at every
// step (sum_i s_i = 0), so each y_i goes to the mean gradient of all; a worker
// whose own data want something else than the rest's is pulled along, and with
// a constant lr the replicas go to the optimum of all, where adapt-then-combine
// stays at a distance of order lr.
//
// One plane of state, "tracker": s. Two planes travel, first the parameters,
// bucket by bucket as those of adapt-then-combine do, then the trackers: twice
// the messages and bytes of W's plan.
#pragma once

#include "algo/adapt_then_combine.h"

namespace grapevine::algo {

class GradientTracking : public AdaptThenCombine {
 public:
  using AdaptThenCombine::AdaptThenCombine;

  std::string name() const override { return "gradient-tracking"; }
  std::vector<std::string> state_planes() const override;
  bool exchanges_gradients_too() const override { return true; }

  void before_exchange(
      arena::Arena& arena,
      Range range,
      const optim::StepInfo& info,
      std::span<double> block_squares) const override;
  void after_gradients(arena::Arena& arena, Range range) const override;

 private:
  float* tracker_of(arena::Arena& arena) const;

  int rule_planes_ = static_cast<int>(AdaptThenCombine::state_planes().size());
};

} // namespace grapevine::algo
