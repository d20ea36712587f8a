// Tells, while backward runs, which parameters' gradients are final.
//
// A parameter's gradient accumulator fires once all its uses in the graph have
// been gone through, so from then on in this backward nothing changes its
// gradient and nothing needs its value: it may be updated at once. This is how
// c10d's reducer does it, too.
#pragma once

#include <torch/nn/module.h>

#include <functional>
#include <memory>

namespace grapevine::tensor {

class GradientHooks {
 public:
  // ready(tensor) by the number of the tensor in parameter_layout(module), from
  // the thread that runs backward, at each backward that reaches it. The module
  // must be bound already, and must outlive this. What ready throws comes out
  // of backward.
  GradientHooks(
      const torch::nn::Module& module,
      std::function<void(int)> ready);
  ~GradientHooks();
  GradientHooks(const GradientHooks&) = delete;
  GradientHooks& operator=(const GradientHooks&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace grapevine::tensor
