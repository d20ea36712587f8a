#include "model/initial.h"

#include "base/check.h"
#include "base/random.h"

#include <torch/torch.h>

#include <cmath>
#include <span>

namespace grapevine::model {
namespace {

std::span<float> elements(torch::Tensor& tensor) {
  GV_CHECK(tensor.is_contiguous());
  return {tensor.data_ptr<float>(), static_cast<size_t>(tensor.numel())};
}

// weight is [out, in, kernel…].
double fan_in(const torch::Tensor& weight) {
  return static_cast<double>(weight.numel() / weight.size(0));
}

double fan_out(const torch::Tensor& weight) {
  return static_cast<double>(weight.numel() / weight.size(1));
}

void draw(torch::Tensor& weight, WeightRule rule, Random random) {
  if (rule == WeightRule::kLecun) {
    const double bound = 1 / std::sqrt(fan_in(weight));
    for (float& value : elements(weight)) {
      value = static_cast<float>(bound * (2 * random.uniform() - 1));
    }
    return;
  }
  const double fan =
      rule == WeightRule::kHeFanIn ? fan_in(weight) : fan_out(weight);
  const double sd = std::sqrt(2 / fan);
  for (float& value : elements(weight)) {
    value = static_cast<float>(sd * random.normal());
  }
}

} // namespace

void set_initial_values(
    torch::nn::Module& module,
    uint64_t seed,
    const InitialRules& rules) {
  uint64_t index = 0;
  for (auto& item : module.named_parameters()) {
    torch::Tensor values = item.value().detach();
    const Random random(seed, Purpose::kInit, index++);
    if (values.dim() == 4) {
      draw(values, rules.convolution, random);
    } else if (values.dim() == 2) {
      draw(values, rules.linear, random);
    } else {
      // Of vectors, only a norm's scale is called weight.
      const bool scale = item.key().ends_with("weight");
      for (float& value : elements(values))
        value = scale ? 1.0F : 0.0F;
    }
  }
}

} // namespace grapevine::model
