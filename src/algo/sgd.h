// Stochastic gradient descent with momentum (heavy ball or Nesterov) and L2
// decay, as torch::optim::SGD computes it, bit for bit:
//
//   d = g + weight_decay * x
//   m = momentum * m + d              (m = d at the first step)
//   x = x - lr * m                    heavy ball
//   x = x - lr * (d + momentum * m)   Nesterov
//
// Where x is mixed, the last line moves the mixed value; decay uses the old x.
// Decay leaves out biases and norms (tensors of one dimension) unless
// `decay_everything`. One pass over x, g and m; no messages.
#pragma once

#include "algo/rules.h"

namespace grapevine::algo {

class Sgd : public LocalRule {
 public:
  explicit Sgd(RuleOptions options) : options_(std::move(options)) {}

  std::vector<std::string> state_planes() const override;
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
