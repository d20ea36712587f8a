#include "model/initial.h"

#include "base/check.h"
#include "base/random.h"

#include <torch/torch.h>

#include <cmath>
#include <span>

namespace grapevine::model {
namespace {

double next(const InitialDraw& draw, Random& random) {
  switch (draw.kind) {
    case InitialDraw::Kind::kUniform:
      return draw.scale * (2 * random.uniform() - 1);
    case InitialDraw::Kind::kNormal:
      return draw.scale * random.normal();
    case InitialDraw::Kind::kConstant:
      break;
  }
  return draw.scale;
}

// weight is [out, in, kernel…].
InitialDraw draw_by(WeightRule rule, const torch::Tensor& weight) {
  const int64_t side = rule == WeightRule::kHeFanOut ? 1 : 0;
  const auto fan = static_cast<double>(weight.numel() / weight.size(side));
  return rule == WeightRule::kLecun ? uniform(1 / std::sqrt(fan))
                                    : normal(std::sqrt(2 / fan));
}

} // namespace

InitialDraw xavier(const torch::Tensor& matrix) {
  const auto extents = static_cast<double>(matrix.size(0) + matrix.size(1));
  return uniform(std::sqrt(6 / extents));
}

InitialDraw bias_or_scale(const std::string& name) {
  return constant(name.ends_with("weight") ? 1 : 0);
}

void set_values(
    torch::nn::Module& module,
    uint64_t seed,
    const std::function<
        InitialDraw(const std::string& name, const torch::Tensor& tensor)>&
        draw_of) {
  uint64_t index = 0;
  for (auto& item : module.named_parameters()) {
    torch::Tensor tensor = item.value().detach();
    GV_CHECK(tensor.is_contiguous());
    const InitialDraw draw = draw_of(item.key(), tensor);
    Random random(seed, Purpose::kInit, index++);
    const std::span<float> values(
        tensor.data_ptr<float>(),
        static_cast<size_t>(tensor.numel()));
    for (float& value : values)
      value = static_cast<float>(next(draw, random));
  }
}

void set_initial_values(
    torch::nn::Module& module,
    uint64_t seed,
    const InitialRules& rules) {
  set_values(
      module,
      seed,
      [&](const std::string& name, const torch::Tensor& tensor) {
        if (tensor.dim() == 4) return draw_by(rules.convolution, tensor);
        if (tensor.dim() == 2) return draw_by(rules.linear, tensor);
        return bias_or_scale(name);
      });
}

} // namespace grapevine::model
