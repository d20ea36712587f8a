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
#pragma once

#include "algo/local_rule.h"
#include "tensor/kernels/adam.h"

namespace grapevine::algo {

// What weight decay shrinks.
enum class DecayForm {
  kL2,        // the loss has a penalty: decay is part of the gradient
  kDecoupled, // the parameters themselves, beside the gradient: AdamW
};

struct AdamOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0;
  DecayForm decay_form = DecayForm::kL2;
  bool decay_everything = false;
};

class Adam : public LocalRule {
 public:
  explicit Adam(AdamOptions options) : options_(options) {}

  std::string name() const override;
  std::vector<std::string> state_planes() const override;
  void update(
      tensor::Arena& arena,
      Range range,
      const StepInfo& info,
      const tensor::MixTerms& mix,
      std::span<double> block_squares) const override;

 private:
  AdamOptions options_;
};

// What Adam and AccumAdam share.

// The coefficients of a step, but for decay, with the moments' bias corrected
// for `updates` updates, the step's own among them.
tensor::AdamStep
adam_step(const AdamOptions& options, const StepInfo& info, int64_t updates);

// The fused pass over a range, as LocalRule::update has it; decay is filled in
// tensor by tensor. State planes: m, v, and b unless each step is alone.
void adam_pass(
    tensor::Arena& arena,
    Range range,
    const AdamOptions& options,
    const StepInfo& info,
    tensor::AdamStep step,
    const tensor::MixTerms& mix,
    std::span<double> block_squares);

} // namespace grapevine::algo
