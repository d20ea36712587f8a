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

} // namespace grapevine::model
