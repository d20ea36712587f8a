// Adam (Kingma, Ba 2015) and AdamW (Loshchilov, Hutter 2019), as
// torch::optim::Adam and AdamW compute them, bit for bit. Step t = 1, 2, …:
//
//   g = g + weight_decay * x                                  Adam: L2 form
//   m = beta1 * m + (1 - beta1) * g
//   v = beta2 * v + (1 - beta2) * g^2
//   u = m / (1 - beta1^t) / ( sqrt(v) / sqrt(1 - beta2^t) + eps )
//   x = x - lr * u                                            Adam
//   x = (1 - lr * weight_decay) * x - lr * u                  AdamW
//
// Where x is mixed, the last line moves the mixed value, which is also what
// AdamW's decay acts on; the L2 form uses the old x. m and v stay a worker's
// own. Decay leaves out biases and norms (tensors of one dimension) unless
// `decay_everything`. One pass over x, g, m and v; no messages.
//
// AccumAdam and AccumAdamW: Adam whose moments accumulate a whole window of
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
// Parameters move every step, moments once per window, as a batch s times as
// large would move them: the small batches of one worker are too noisy for v.
// s = 1 is Adam, bit for bit.
#pragma once

#include "algo/rules.h"
#include "tensor/kernels/adam.h"

namespace grapevine::algo {

// What weight decay shrinks.
enum class DecayForm {
  kL2,        // the loss has a penalty: decay is part of the gradient
  kDecoupled, // the parameters themselves, not through the gradient: AdamW
};

class Adam : public LocalRule {
 public:
  // window: steps, at least 1; that of the options is not looked at.
  explicit Adam(
      RuleOptions options,
      DecayForm form = DecayForm::kL2,
      int64_t window = 1);

  // exp_avg, exp_avg_sq and, for windows, window_grad: b, which counts inside
  // a window only; after its last step it keeps what the next one overwrites.
  std::vector<std::string> state_planes() const override;
  void update(
      tensor::Arena& arena,
      Range range,
      const StepInfo& info,
      const tensor::MixTerms& mix,
      std::span<double> block_squares) const override;

 private:
  tensor::AdamStep step_of(const StepInfo& info) const;
  void set_decay(tensor::AdamStep& step, double lr, bool decays) const;

  RuleOptions options_;
  DecayForm form_;
  int64_t window_;
};

} // namespace grapevine::algo
