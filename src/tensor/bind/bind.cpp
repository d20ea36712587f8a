#include "tensor/bind/bind.h"

#include "base/check.h"

#include <torch/torch.h>

#include <set>

namespace grapevine::tensor {
namespace {

std::vector<NamedTensor> distinct(
    const torch::OrderedDict<std::string, torch::Tensor>& dictionary) {
  std::vector<NamedTensor> tensors;
  std::set<const at::TensorImpl*> seen;
  for (const auto& item : dictionary) {
    if (seen.insert(item.value().unsafeGetTensorImpl()).second) {
      tensors.push_back({item.key(), item.value()});
    }
  }
  return tensors;
}

} // namespace

std::vector<NamedTensor> parameters_of(const torch::nn::Module& module) {
  return distinct(module.named_parameters(/*recurse=*/true));
}

std::vector<NamedTensor> buffers_of(const torch::nn::Module& module) {
  std::vector<NamedTensor> tensors;
  for (NamedTensor& buffer : distinct(module.named_buffers(/*recurse=*/true))) {
    if (buffer.tensor.is_floating_point()) tensors.push_back(std::move(buffer));
  }
  return tensors;
}

namespace {

tensor::Layout layout_of(const std::vector<NamedTensor>& tensors) {
  std::vector<tensor::TensorEntry> entries;
  for (const auto& [name, tensor] : tensors) {
    if (tensor.scalar_type() != torch::kFloat32 || !tensor.device().is_cpu()) {
      throw ConfigError(fmt::format(
          "tensor '{}' is {} on {}; an arena takes float32 on cpu: cast the "
          "module before binding it",
          name,
          c10::toString(tensor.scalar_type()),
          tensor.device().str()));
    }
    entries.push_back(
        {.name = name,
         .shape = tensor.sizes().vec(),
         .is_trained = tensor.requires_grad()});
  }
  return tensor::Layout(std::move(entries));
}

torch::Tensor view_of(
    std::span<float> plane,
    const tensor::TensorEntry& entry) {
  return torch::from_blob(plane.data() + entry.offset, entry.shape);
}

void check_view(
    const torch::Tensor& tensor,
    std::span<const float> plane,
    const tensor::TensorEntry& entry,
    const char* what) {
  if (tensor.defined() &&
      tensor.data_ptr() ==
          static_cast<const void*>(plane.data() + entry.offset)) {
    return;
  }
  throw Error(fmt::format(
      "the {} of '{}' no longer lies in the arena: zero_grad(true), to(), "
      "load() and clone() unbind a module",
      what,
      entry.name));
}

} // namespace

tensor::Layout parameter_layout(const torch::nn::Module& module) {
  return layout_of(parameters_of(module));
}

tensor::Layout buffer_layout(const torch::nn::Module& module) {
  return layout_of(buffers_of(module));
}

void bind_module(torch::nn::Module& module, tensor::Arena& arena) {
  const torch::NoGradGuard no_grad;
  const auto parameters = parameters_of(module);
  GV_CHECK_EQ(parameters.size(), arena.layout().tensors().size());
  for (size_t i = 0; i < parameters.size(); ++i) {
    const tensor::TensorEntry& entry = arena.layout().tensors()[i];
    torch::Tensor parameter = parameters[i].tensor;
    torch::Tensor view = view_of(arena.parameters(), entry);
    view.copy_(parameter);
    // set_data keeps the identity of the parameter, so whoever holds it (an
    // optimizer, a tied layer) sees the view.
    parameter.set_data(view);
    parameter.mutable_grad() = view_of(arena.gradients(), entry);
  }
  const auto buffers = buffers_of(module);
  GV_CHECK_EQ(buffers.size(), arena.buffer_layout().tensors().size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    torch::Tensor buffer = buffers[i].tensor;
    torch::Tensor view =
        view_of(arena.buffers(), arena.buffer_layout().tensors()[i]);
    view.copy_(buffer);
    buffer.set_data(view);
  }
}

void verify_bound(const torch::nn::Module& module, const tensor::Arena& arena) {
  const auto parameters = parameters_of(module);
  GV_CHECK_EQ(parameters.size(), arena.layout().tensors().size());
  for (size_t i = 0; i < parameters.size(); ++i) {
    const tensor::TensorEntry& entry = arena.layout().tensors()[i];
    check_view(parameters[i].tensor, arena.parameters(), entry, "value");
    check_view(
        parameters[i].tensor.grad(),
        arena.gradients(),
        entry,
        "gradient");
  }
  const auto buffers = buffers_of(module);
  for (size_t i = 0; i < buffers.size(); ++i) {
    check_view(
        buffers[i].tensor,
        arena.buffers(),
        arena.buffer_layout().tensors()[i],
        "buffer");
  }
}

} // namespace grapevine::tensor
