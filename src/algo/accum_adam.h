// AccumAdam and AccumAdamW: Adam whose moments take in a whole window of
// gradients at a time (Wang, Zhang, Wu, Johansson, ICLR 2025). Window s, step
// t = 1, 2, …, k = ceil(t / s), b the window's mean gradient:
//
//   g   = g + weight_decay * x                        AccumAdam: L2 form
//   m_t = beta1 * m + (1 - beta1) * g                 not kept
//   v_t = beta2 * v + (1 - beta2) * g^2               not kept
//   u   = m_t / (1 - beta1^k) / ( sqrt(v_t) / sqrt(1 - beta2^k) + eps )
//   x   = x - lr * u                                  AccumAdam
//   x   = (1 - lr * weight_decay) * x - lr * u        AccumAdamW
//   b   = b + g / s
//   when s divides t:  m = beta1 * m + (1 - beta1) * b
//                      v = beta2 * v + (1 - beta2) * b^2 ;  b = 0
//
// Parameters move every step, moments once a window, as a batch s times as
// large would move them: a worker's own small batches are too noisy for v.
// s = 1 is Adam, plane for plane and bit for bit. Mixing and decay as in
// algo/adam.h. One pass over x, g, m, v and b; no messages.
#pragma once

#include "algo/adam.h"

namespace grapevine::algo {

class AccumAdam : public LocalRule {
 public:
  // window: steps, at least 1.
  AccumAdam(AdamOptions options, int64_t window);

  std::string name() const override;
  // exp_avg, exp_avg_sq and, for s > 1, window_grad: b, which counts inside a
  // window only; behind its last step it keeps what the first one overwrites.
  std::vector<std::string> state_planes() const override;
  void update(
      tensor::Arena& arena,
      Range range,
      const StepInfo& info,
      const tensor::MixTerms& mix,
      std::span<double> block_squares) const override;

 private:
  tensor::AdamWindow place_of(int64_t step) const;

  AdamOptions options_;
  int64_t window_;
};

} // namespace grapevine::algo
