#include "tensor/bind/gradient_hooks.h"

#include "tensor/bind/bind.h"

#include <torch/torch.h>

#include <vector>

namespace grapevine::tensor {
namespace {

class Hook : public torch::autograd::FunctionPostHook {
 public:
  Hook(const std::function<void(int)>& ready, int tensor)
      : ready_(ready),
        tensor_(tensor) {}

  torch::autograd::variable_list operator()(
      const torch::autograd::variable_list& outputs,
      const torch::autograd::variable_list&) override {
    ready_(tensor_);
    return outputs;
  }

 private:
  const std::function<void(int)>& ready_;
  int tensor_;
};

} // namespace

struct GradientHooks::State {
  std::function<void(int)> ready;
  struct Registered {
    // A parameter does not keep its accumulator alive.
    std::shared_ptr<torch::autograd::Node> accumulator;
    uintptr_t key;
  };
  std::vector<Registered> registered;
};

GradientHooks::GradientHooks(
    const torch::nn::Module& module,
    std::function<void(int)> ready)
    : state_(std::make_unique<State>()) {
  state_->ready = std::move(ready);
  const auto parameters = parameters_of(module);
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters[i].tensor.requires_grad()) continue;
    auto accumulator =
        torch::autograd::impl::grad_accumulator(parameters[i].tensor);
    const uintptr_t key = accumulator->add_post_hook(
        std::make_unique<Hook>(state_->ready, static_cast<int>(i)));
    state_->registered.push_back({std::move(accumulator), key});
  }
}

GradientHooks::~GradientHooks() {
  for (const auto& [accumulator, key] : state_->registered)
    accumulator->del_post_hook(key);
}

} // namespace grapevine::tensor
