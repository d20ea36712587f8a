// Gradients against central differences, in double, for a few elements of
// every tensor.
#pragma once

#include "model/zoo.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <functional>

namespace grapevine::model {

// In double, with values large enough that everything matters.
inline void make_lively(Model& model) {
  model.to(torch::kDouble);
  const torch::NoGradGuard no_grad;
  const auto generator = at::detail::createCPUGenerator(5);
  for (auto& parameter : model.parameters()) {
    parameter.add_(
        0.3 * torch::randn(parameter.sizes(), generator, torch::kDouble));
  }
}

// loss: of a forward pass of the model, the same at every call.
inline void expect_gradients(
    Model& model,
    const std::function<torch::Tensor()>& loss) {
  loss().backward();
  const torch::NoGradGuard no_grad;
  for (auto& item : model.named_parameters()) {
    ASSERT_TRUE(item.value().grad().defined()) << item.key();
    auto flat = item.value().view({-1});
    const auto gradient = item.value().grad().reshape({-1});
    for (const int64_t at : {int64_t{0}, flat.numel() / 3, flat.numel() - 1}) {
      constexpr double kStep = 1e-6;
      const double before = flat[at].item<double>();
      flat[at] = before + kStep;
      const double up = loss().item<double>();
      flat[at] = before - kStep;
      const double down = loss().item<double>();
      flat[at] = before;
      const double slope = (up - down) / (2 * kStep);
      EXPECT_NEAR(
          gradient[at].item<double>(),
          slope,
          1e-8 + 1e-6 * std::abs(slope))
          << item.key() << "[" << at << "]";
    }
  }
}

} // namespace grapevine::model
