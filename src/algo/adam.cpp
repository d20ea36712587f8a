#include "algo/adam.h"

#include <cmath>

namespace grapevine::algo {
namespace {

void set_decay(
    tensor::AdamStep& step,
    const AdamOptions& options,
    double lr,
    bool decays) {
  const bool l2 = options.decay_form == DecayForm::kL2;
  const double decay = decays ? options.weight_decay : 0;
  step.l2 = l2 ? static_cast<float>(decay) : 0.0F;
  step.keep = l2 ? 1.0F : static_cast<float>(1 - lr * decay);
}

} // namespace

tensor::AdamStep
adam_step(const AdamOptions& options, const StepInfo& info, int64_t updates) {
  const auto count = static_cast<double>(updates);
  const double correction1 = 1 - std::pow(options.beta1, count);
  const double correction2 = 1 - std::pow(options.beta2, count);
  return {
      .gradient_scale = static_cast<float>(info.gradient_scale),
      .beta1 = static_cast<float>(options.beta1),
      .rest1 = static_cast<float>(1 - options.beta1),
      .beta2 = static_cast<float>(options.beta2),
      .rest2 = static_cast<float>(1 - options.beta2),
      .step_size = static_cast<float>(info.lr / correction1),
      .root_correction = static_cast<float>(std::sqrt(correction2)),
      .eps = static_cast<float>(options.eps)};
}

void adam_pass(
    tensor::Arena& arena,
    Range range,
    const AdamOptions& options,
    const StepInfo& info,
    tensor::AdamStep step,
    const tensor::MixTerms& mix,
    std::span<double> block_squares) {
  const bool alone = step.window == tensor::AdamWindow::kAlone;
  const tensor::AdamPlanes planes{
      .x = arena.parameters().data(),
      .result = result_plane(info, arena),
      .g = arena.gradients().data(),
      .m = arena.state(0).data(),
      .v = arena.state(1).data(),
      .b = alone ? nullptr : arena.state(2).data()};
  const bool want_squares = !block_squares.empty();
  const auto& tensors = arena.layout().tensors();
  const auto update = [&](int tensor, Range block, int64_t number) {
    const bool decays = tensors[tensor].is_trained &&
                        (options.decay_everything || tensors[tensor].is_matrix);
    set_decay(step, options, info.lr, decays);
    const double squares = tensor::adam_update(
        planes,
        block.begin,
        block.end,
        step,
        mix,
        want_squares);
    if (want_squares) block_squares[number] = squares;
  };
  arena.layout().for_each_block(range, update);
}

std::string Adam::name() const {
  return options_.decay_form == DecayForm::kL2 ? "adam" : "adamw";
}

std::vector<std::string> Adam::state_planes() const {
  return {"exp_avg", "exp_avg_sq"};
}

void Adam::update(
    tensor::Arena& arena,
    Range range,
    const StepInfo& info,
    const tensor::MixTerms& mix,
    std::span<double> block_squares) const {
  const tensor::AdamStep step = adam_step(options_, info, info.step + 1);
  adam_pass(arena, range, options_, info, step, mix, block_squares);
}

} // namespace grapevine::algo
