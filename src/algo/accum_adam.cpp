#include "algo/accum_adam.h"

#include "base/check.h"

namespace grapevine::algo {

AccumAdam::AccumAdam(AdamOptions options, int64_t window)
    : options_(options),
      window_(window) {
  GV_CHECK(window_ >= 1);
}

std::string AccumAdam::name() const {
  return options_.decay_form == DecayForm::kL2 ? "accumadam" : "accumadamw";
}

std::vector<std::string> AccumAdam::state_planes() const {
  if (window_ == 1) return {"exp_avg", "exp_avg_sq"};
  return {"exp_avg", "exp_avg_sq", "window_grad"};
}

tensor::AdamWindow AccumAdam::place_of(int64_t step) const {
  if (window_ == 1) return tensor::AdamWindow::kAlone;
  const int64_t place = step % window_;
  if (place == 0) return tensor::AdamWindow::kFirst;
  if (place == window_ - 1) return tensor::AdamWindow::kLast;
  return tensor::AdamWindow::kInside;
}

void AccumAdam::update(
    tensor::Arena& arena,
    Range range,
    const StepInfo& info,
    const tensor::MixTerms& mix,
    std::span<double> block_squares) const {
  tensor::AdamStep step = adam_step(options_, info, info.step / window_ + 1);
  step.window = place_of(info.step);
  step.share = static_cast<float>(1.0 / static_cast<double>(window_));
  adam_pass(arena, range, options_, info, step, mix, block_squares);
}

} // namespace grapevine::algo
