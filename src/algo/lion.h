// Lion (Chen et al. 2023, arXiv 2302.06675): the sign of an interpolation of
// momentum and gradient, with decoupled weight decay.
//
//   u = sign(beta1 * m + (1 - beta1) * g)
//   x = (1 - lr * weight_decay) * x - lr * u
//   m = beta2 * m + (1 - beta2) * g
//
// sign(0) = 0. If x is mixed, the second line moves the mixed value, which is
// also what decay acts on; m stays local. Decay leaves out biases and norms
// (tensors of one dimension) unless `decay_everything`. One state plane; one
// pass over x, g and m; no messages.
#pragma once

#include "algo/rules.h"

namespace grapevine::algo {

class Lion : public LocalRule {
 public:
  explicit Lion(RuleOptions options) : options_(std::move(options)) {}

  std::vector<std::string> state_planes() const override { return {"exp_avg"}; }
  void update(
      tensor::Arena& arena,
      Range range,
      const StepInfo& info,
      const tensor::MixTerms& mix,
      std::span<double> block_squares) const override;

 private:
  RuleOptions options_;
};

} // namespace grapevine::algo
