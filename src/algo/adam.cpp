#include "algo/adam.h"

#include "base/check.h"

#include <cmath>
#include <utility>

namespace grapevine::algo {
namespace {

using Window = tensor::AdamWindow;

Window place_in_window(int64_t step, int64_t window) {
  if (window == 1) return Window::kAlone;
  const int64_t place = step % window;
  if (place == 0) return Window::kFirst;
  return place == window - 1 ? Window::kLast : Window::kInside;
}

} // namespace

Adam::Adam(RuleOptions options, DecayForm form, int64_t window)
    : options_(std::move(options)),
      form_(form),
      window_(window) {
  GV_CHECK(window_ >= 1);
}

std::vector<std::string> Adam::state_planes() const {
  if (window_ == 1) return {"exp_avg", "exp_avg_sq"};
  return {"exp_avg", "exp_avg_sq", "window_grad"};
}

tensor::AdamStep Adam::step_of(const StepInfo& info) const {
  // How often the moments have been updated, this step included.
  const auto updates = static_cast<double>(info.step / window_ + 1);
  const double correction1 = 1 - std::pow(options_.beta1, updates);
  const double correction2 = 1 - std::pow(options_.beta2, updates);
  return {
      .window = place_in_window(info.step, window_),
      .gradient_scale = static_cast<float>(info.gradient_scale),
      .beta1 = static_cast<float>(options_.beta1),
      .rest1 = static_cast<float>(1 - options_.beta1),
      .beta2 = static_cast<float>(options_.beta2),
      .rest2 = static_cast<float>(1 - options_.beta2),
      .step_size = static_cast<float>(info.lr / correction1),
      .root_correction = static_cast<float>(std::sqrt(correction2)),
      .eps = static_cast<float>(options_.eps),
      .share = static_cast<float>(1.0 / static_cast<double>(window_))};
}

void Adam::set_decay(tensor::AdamStep& step, double lr, bool decays) const {
  const bool l2 = form_ == DecayForm::kL2;
  const double decay = decays ? options_.weight_decay : 0;
  step.l2 = l2 ? static_cast<float>(decay) : 0.0F;
  step.keep = l2 ? 1.0F : static_cast<float>(1 - lr * decay);
}

void Adam::update(
    tensor::Arena& arena,
    Range range,
    const StepInfo& info,
    const tensor::MixTerms& mix,
    std::span<double> block_squares) const {
  tensor::AdamStep step = step_of(info);
  const tensor::AdamPlanes planes{
      .x = arena.parameters().data(),
      .result = result_plane(info, arena),
      .g = arena.gradients().data(),
      .m = arena.state(0).data(),
      .v = arena.state(1).data(),
      .b = window_ == 1 ? nullptr : arena.state(2).data()};
  const bool want_squares = !block_squares.empty();
  const auto& tensors = arena.layout().tensors();
  const auto update = [&](int tensor, Range block, int64_t number) {
    const bool decays =
        tensors[tensor].is_trained &&
        (options_.decay_everything || tensors[tensor].is_matrix);
    set_decay(step, info.lr, decays);
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

} // namespace grapevine::algo
