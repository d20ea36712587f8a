// The tensors of a module as the arena counts them: each once, in module
// order, under its first name.
#pragma once

#include <torch/nn/module.h>

#include <string>
#include <vector>

namespace grapevine::tensor {

struct NamedTensor {
  std::string name;
  torch::Tensor tensor;
};

std::vector<NamedTensor> parameters_of(const torch::nn::Module& module);
// Floating-point ones.
std::vector<NamedTensor> buffers_of(const torch::nn::Module& module);

} // namespace grapevine::tensor
