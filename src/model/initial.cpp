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

void draw_normal(torch::Tensor& weight, double sd, Random random) {
  for (float& value : elements(weight)) {
    value = static_cast<float>(sd * random.normal());
  }
}

// Of vectors, only a norm's scale is called weight.
void set_vector(const std::string& name, torch::Tensor& vector) {
  const bool scale = name.ends_with("weight");
  for (float& value : elements(vector))
    value = scale ? 1.0F : 0.0F;
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
  draw_normal(weight, std::sqrt(2 / fan), random);
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
      set_vector(item.key(), values);
    }
  }
}

void set_normal_values(
    torch::nn::Module& module,
    uint64_t seed,
    const std::function<double(const std::string& name)>& sd_of) {
  uint64_t index = 0;
  for (auto& item : module.named_parameters()) {
    torch::Tensor values = item.value().detach();
    const Random random(seed, Purpose::kInit, index++);
    if (values.dim() >= 2) {
      draw_normal(values, sd_of(item.key()), random);
    } else {
      set_vector(item.key(), values);
    }
  }
}

} // namespace grapevine::model
