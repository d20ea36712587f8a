#include "model/layers.h"

#include <torch/torch.h>

namespace grapevine::model {

LinearImpl::LinearImpl(int64_t in, int64_t out) {
  weight = register_parameter("weight", torch::empty({out, in}));
  bias = register_parameter("bias", torch::empty({out}));
}

torch::Tensor LinearImpl::forward(const torch::Tensor& input) {
  return torch::linear(input, weight, bias);
}

Conv3x3Impl::Conv3x3Impl(const ConvOptions& options) : stride_(options.stride) {
  weight = register_parameter(
      "weight",
      torch::empty({options.out, options.in, 3, 3}));
  if (options.bias) {
    bias = register_parameter("bias", torch::empty({options.out}));
  }
}

torch::Tensor Conv3x3Impl::forward(const torch::Tensor& input) {
  return torch::conv2d(input, weight, bias, stride_, /*padding=*/1);
}

TableImpl::TableImpl(int64_t rows, int64_t width) {
  weight = register_parameter("weight", torch::empty({rows, width}));
}

} // namespace grapevine::model
