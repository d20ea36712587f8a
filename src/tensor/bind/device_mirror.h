// A module that computes on another device than the arena lies on.
//
// The arena stays the truth: before a pass its parameters and buffers are
// copied to flat tensors on the device, of which the module's are views, one
// copy a plane; behind it gradients and buffers come back the same way. What
// the rest of the program does with planes, it does on the host.
#pragma once

#include "tensor/arena.h"

#include <torch/nn/module.h>

namespace grapevine::tensor {

class DeviceMirror {
 public:
  // Moves the module there. The arena has its layouts (tensor/bind/bind.h) and
  // must outlive this; it takes the module's values.
  DeviceMirror(
      torch::nn::Module& module,
      tensor::Arena& arena,
      torch::Device device);

  const torch::Device& device() const { return device_; }
  // From the arena; gradients there become zero.
  void fetch();
  // To the arena: the gradient of one tensor, by its number in the layout, or
  // all of them; buffers.
  void store_gradient(int tensor);
  void store_gradients();
  void store_buffers();

 private:
  tensor::Arena& arena_;
  torch::Device device_;
  torch::Tensor parameters_;
  torch::Tensor gradients_;
  torch::Tensor buffers_;
};

} // namespace grapevine::tensor
