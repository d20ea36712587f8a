// Push-sum whose exchange hides behind the gradient, as that of
// combine-while-adapt does:
//
//   z_i(t+1) = sum_j A_ij w_j z_j(t) / w'_i  -  (lr / w'_i) * d_i(g_i(z_i(t)))
//
// With x_i = w_i z_i this is x <- A x - lr d (overlap stochastic gradient push,
// Assran et al. 2019, with one exchange in flight). Cost as push_sum.h; where A
// is doubly stochastic it is combine-while-adapt, bit for bit.
#pragma once

#include "algo/combine_while_adapt.h"

namespace grapevine::algo {

class PushSumOverlapped : public CombineWhileAdapt {
 public:
  using CombineWhileAdapt::CombineWhileAdapt;

  std::string name() const override { return "push-sum-overlapped"; }
  bool takes_weights() const override { return true; }
};

} // namespace grapevine::algo
