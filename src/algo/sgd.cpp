#include "algo/sgd.h"

#include "tensor/kernels/sgd.h"

namespace grapevine::algo {

std::vector<std::string> Sgd::state_planes() const {
  if (options_.momentum == 0) return {};
  return {"momentum"};
}

void Sgd::update(
    tensor::Arena& arena,
    Range range,
    const StepInfo& info,
    const tensor::MixTerms& mix,
    std::span<double> block_squares) const {
  tensor::SgdOptions options{
      .lr = static_cast<float>(info.lr),
      .momentum = static_cast<float>(options_.momentum),
      .weight_decay = 0,
      .gradient_scale = static_cast<float>(info.gradient_scale),
      .nesterov = options_.nesterov,
      .first_step = info.step == 0,
  };
  const tensor::SgdPlanes planes{
      .x = arena.parameters().data(),
      .result = result_plane(info, arena),
      .g = arena.gradients().data(),
      .m = options_.momentum == 0 ? nullptr : arena.state(0).data()};
  const auto& tensors = arena.layout().tensors();
  const auto update = [&](int tensor, Range block, int64_t number) {
    const bool decays =
        tensors[tensor].is_trained &&
        (options_.decay_everything || tensors[tensor].is_matrix);
    options.weight_decay =
        decays ? static_cast<float>(options_.weight_decay) : 0.0F;
    const double squares = tensor::sgd_update(
        planes,
        block.begin,
        block.end,
        options,
        mix,
        !block_squares.empty());
    if (!block_squares.empty()) block_squares[number] = squares;
  };
  arena.layout().for_each_block(range, update);
}

} // namespace grapevine::algo
