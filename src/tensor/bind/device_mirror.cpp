#include "tensor/bind/device_mirror.h"

#include "base/check.h"
#include "tensor/bind/bind.h"

#include <torch/torch.h>

namespace grapevine::tensor {
namespace {

// A host plane as a tensor, in its own memory.
torch::Tensor flat(std::span<float> plane) {
  return torch::from_blob(plane.data(), {static_cast<int64_t>(plane.size())});
}

// Not a view to autograd: an optimizer may clear gradients in place.
torch::Tensor part_of(
    const torch::Tensor& plane,
    const tensor::TensorEntry& entry) {
  return plane.narrow(0, entry.offset, entry.elements)
      .view(entry.shape)
      .variable_data();
}

void check_count(
    const std::vector<NamedTensor>& tensors,
    const tensor::Layout& layout) {
  GV_CHECK_EQ(tensors.size(), layout.tensors().size());
}

} // namespace

DeviceMirror::DeviceMirror(
    torch::nn::Module& module,
    tensor::Arena& arena,
    torch::Device device)
    : arena_(arena),
      device_(device) {
  const torch::NoGradGuard no_grad;
  const auto parameters = parameters_of(module);
  check_count(parameters, arena.layout());
  for (size_t i = 0; i < parameters.size(); ++i) {
    const tensor::TensorEntry& entry = arena.layout().tensors()[i];
    part_of(flat(arena.parameters()), entry).copy_(parameters[i].tensor);
  }
  const auto buffers = buffers_of(module);
  check_count(buffers, arena.buffer_layout());
  for (size_t i = 0; i < buffers.size(); ++i) {
    const tensor::TensorEntry& entry = arena.buffer_layout().tensors()[i];
    part_of(flat(arena.buffers()), entry).copy_(buffers[i].tensor);
  }
  module.to(device_); // the rest of it: integer buffers
  parameters_ =
      flat(arena.parameters()).to(device_, torch::kFloat, false, true);
  gradients_ = torch::zeros_like(parameters_);
  buffers_ = flat(arena.buffers()).to(device_, torch::kFloat, false, true);
  for (size_t i = 0; i < parameters.size(); ++i) {
    const tensor::TensorEntry& entry = arena.layout().tensors()[i];
    torch::Tensor parameter = parameters[i].tensor;
    parameter.set_data(part_of(parameters_, entry));
    parameter.mutable_grad() = part_of(gradients_, entry);
  }
  for (size_t i = 0; i < buffers.size(); ++i) {
    torch::Tensor buffer = buffers[i].tensor;
    buffer.set_data(part_of(buffers_, arena.buffer_layout().tensors()[i]));
  }
}

void DeviceMirror::fetch() {
  const torch::NoGradGuard no_grad;
  parameters_.copy_(flat(arena_.parameters()));
  buffers_.copy_(flat(arena_.buffers()));
  gradients_.zero_();
}

void DeviceMirror::store_gradient(int tensor) {
  const torch::NoGradGuard no_grad;
  const tensor::TensorEntry& entry = arena_.layout().tensors()[tensor];
  flat(arena_.gradients())
      .narrow(0, entry.offset, entry.elements)
      .copy_(gradients_.narrow(0, entry.offset, entry.elements));
}

void DeviceMirror::store_gradients() {
  const torch::NoGradGuard no_grad;
  flat(arena_.gradients()).copy_(gradients_);
}

void DeviceMirror::store_buffers() {
  const torch::NoGradGuard no_grad;
  flat(arena_.buffers()).copy_(buffers_);
}

} // namespace grapevine::tensor
