// Torch meets the arena: a module's parameters, gradients and buffers become
// views of planes. Above this file is torch, below it are spans.
//
// What unbinds in libtorch, and so must not be done to a bound module:
// zero_grad(set_to_none = true), Module::to(another dtype or device),
// torch::load into it, clone() (the copy is unbound). Cast before binding.
#pragma once

#include "tensor/arena.h"

#include <torch/nn/module.h>

#include <memory>
#include <string>
#include <vector>

namespace grapevine::tensor {

// The tensors of a module as the arena counts them: each once, in module order,
// under its first name.
struct NamedTensor {
  std::string name;
  torch::Tensor tensor;
};

std::vector<NamedTensor> parameters_of(const torch::nn::Module& module);
// Floating-point ones only.
std::vector<NamedTensor> buffers_of(const torch::nn::Module& module);

// The layout of a module's parameters in module order; one that is shared
// (tied weights) stands once, under its first name. Throws ConfigError for a
// parameter that is not float32 on the host, naming it.
tensor::Layout parameter_layout(const torch::nn::Module& module);
// The same of its floating-point buffers. Integer ones (batch norm's counter)
// stay with the module.
tensor::Layout buffer_layout(const torch::nn::Module& module);

// Copies the module's values into the arena and makes its parameters,
// gradients and buffers views of it. The arena must outlive the module's use.
void bind_module(torch::nn::Module& module, tensor::Arena& arena);

// Throws Error naming the first tensor that no longer is the view it was.
void verify_bound(const torch::nn::Module& module, const tensor::Arena& arena);

} // namespace grapevine::tensor
