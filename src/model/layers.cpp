#include "model/layers.h"

#include <torch/torch.h>

#include <cmath>
#include <limits>

namespace grapevine::model {

LinearImpl::LinearImpl(int64_t in, int64_t out) {
  weight = register_parameter("weight", torch::empty({out, in}));
  bias = register_parameter("bias", torch::empty({out}));
}

torch::Tensor LinearImpl::forward(const torch::Tensor& input) {
  return torch::linear(input, weight, bias);
}

ConvImpl::ConvImpl(const ConvOptions& options) : stride_(options.stride) {
  weight = register_parameter(
      "weight",
      torch::empty({options.out, options.in, options.kernel, options.kernel}));
  if (options.bias) {
    bias = register_parameter("bias", torch::empty({options.out}));
  }
}

torch::Tensor ConvImpl::forward(const torch::Tensor& input) {
  return torch::conv2d(input, weight, bias, stride_, weight.size(2) / 2);
}

TableImpl::TableImpl(int64_t rows, int64_t width) {
  weight = register_parameter("weight", torch::empty({rows, width}));
}

std::vector<torch::Tensor> split_heads(
    const torch::Tensor& x,
    int64_t parts,
    int64_t samples,
    int64_t heads) {
  const int64_t positions = x.size(0) / samples;
  const int64_t depth = x.size(1) / (parts * heads);
  return x.view({samples, positions, parts, heads, depth})
      .permute({2, 0, 3, 1, 4})
      .reshape({parts, samples * heads, positions, depth})
      .unbind(0);
}

torch::Tensor join_heads(const torch::Tensor& x, int64_t heads) {
  const int64_t samples = x.size(0) / heads;
  const int64_t positions = x.size(1);
  const int64_t depth = x.size(2);
  return x.view({samples, heads, positions, depth})
      .transpose(1, 2)
      .reshape({samples * positions, heads * depth});
}

torch::Tensor attend(
    const torch::Tensor& q,
    const torch::Tensor& k,
    const torch::Tensor& v,
    const torch::Tensor& mask,
    const HeadDropout& dropout) {
  const double scale = 1 / std::sqrt(static_cast<double>(q.size(2)));
  const auto weights = torch::baddbmm(
                           mask,
                           q,
                           k.transpose(1, 2),
                           /*beta=*/1,
                           /*alpha=*/scale)
                           .softmax(-1);
  return torch::bmm(
      model::dropout(weights, dropout.p, dropout.chance, dropout.layer),
      v);
}

torch::Tensor causal_mask(int64_t positions, const torch::Tensor& like) {
  constexpr float kNever = -std::numeric_limits<float>::infinity();
  return torch::full({1, positions, positions}, kNever, like.options()).triu(1);
}

torch::nn::LayerNorm make_norm(int64_t width) {
  return torch::nn::LayerNorm(torch::nn::LayerNormOptions({width}));
}

} // namespace grapevine::model
