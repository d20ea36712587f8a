#include "algo/lion.h"

#include "tensor/kernels/clones.h"
#include "tensor/kernels/strips.h"

namespace grapevine::algo {
namespace {

struct Planes {
  const float* x;
  float* result; // takes the new x; may be x itself
  const float* g;
  float* m;
};

// Coefficients of a step, rounded to float.
struct Step {
  float gradient_scale;
  float keep; // 1 - lr * decay
  float minus_lr;
  float beta1;
  float rest1; // 1 - beta1
  float beta2;
  float rest2; // 1 - beta2
};

// Rounded as torch's operations on whole tensors round: products with the
// betas and with `keep` first, what is added to them fused.
GV_CLONES void update_strip(
    const Planes& planes,
    const float* mixed,
    int64_t count,
    const Step& s) {
  const float* g = planes.g;
  float* result = planes.result;
  float* m = planes.m;
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) {
    const float d = g[i] * s.gradient_scale;
    const float c = __builtin_fmaf(d, s.rest1, m[i] * s.beta1);
    const float sign = static_cast<float>(c > 0) - static_cast<float>(c < 0);
    result[i] = __builtin_fmaf(sign, s.minus_lr, mixed[i] * s.keep);
    m[i] = __builtin_fmaf(d, s.rest2, m[i] * s.beta2);
  }
}

} // namespace

void Lion::update(
    tensor::Arena& arena,
    Range range,
    const StepInfo& info,
    const tensor::MixTerms& mix,
    std::span<double> block_squares) const {
  Step step{
      .gradient_scale = static_cast<float>(info.gradient_scale),
      .keep = 1,
      .minus_lr = static_cast<float>(-info.lr),
      .beta1 = static_cast<float>(options_.beta1),
      .rest1 = static_cast<float>(1 - options_.beta1),
      .beta2 = static_cast<float>(options_.beta2),
      .rest2 = static_cast<float>(1 - options_.beta2)};
  const Planes planes{
      .x = arena.parameters().data(),
      .result = result_plane(info, arena),
      .g = arena.gradients().data(),
      .m = arena.state(0).data()};
  const bool want_squares = !block_squares.empty();
  const auto& tensors = arena.layout().tensors();
  const auto update = [&](int tensor, Range block, int64_t number) {
    const bool decays =
        tensors[tensor].is_trained &&
        (options_.decay_everything || tensors[tensor].is_matrix);
    const double decay = decays ? options_.weight_decay : 0;
    step.keep = static_cast<float>(1 - info.lr * decay);
    const auto visit = [&](const float* mixed, int64_t at, int64_t count) {
      update_strip(
          {planes.x + at, planes.result + at, planes.g + at, planes.m + at},
          mixed,
          count,
          step);
    };
    const double squares = tensor::update_in_strips(
        planes,
        block.begin,
        block.end,
        mix,
        want_squares,
        visit);
    if (want_squares) block_squares[number] = squares;
  };
  arena.layout().for_each_block(range, update);
}

} // namespace grapevine::algo
