// Lion against torch's operations on whole tensors, bit for bit.
#include "algo/lion.h"
#include "base/random.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

namespace grapevine::algo {
namespace {

TEST(Lion, IsTheOperationsOfTorchBitForBit) {
  constexpr int64_t kRows = 61;
  constexpr int64_t kColumns = 97;
  constexpr double kLr = 3e-3;
  const RuleOptions o{.beta1 = 0.9, .beta2 = 0.99, .weight_decay = 0.1};
  const Lion rule(o);
  tensor::Arena arena(
      std::make_shared<tensor::Layout>(std::vector<tensor::TensorEntry>{
          {.name = "w", .shape = {kRows, kColumns}}}),
      std::make_shared<tensor::Layout>(),
      1);
  const auto view = [&](std::span<float> plane) {
    return torch::from_blob(plane.data(), {kRows, kColumns});
  };
  Random random(5, Purpose::kTest);
  const auto draw = [&](std::span<float> plane) {
    for (int64_t i = 0; i < kRows * kColumns; ++i)
      plane[i] = static_cast<float>(random.normal());
  };
  draw(arena.parameters());
  const torch::NoGradGuard no_grad;
  torch::Tensor x = view(arena.parameters()).clone();
  torch::Tensor m = torch::zeros_like(x);
  for (int64_t step = 0; step < 20; ++step) {
    draw(arena.gradients());
    const torch::Tensor g = view(arena.gradients());
    rule.update(
        arena,
        {0, arena.layout().size()},
        {.step = step, .lr = kLr},
        {},
        {});
    const torch::Tensor u = m.mul(o.beta1).add(g, 1 - o.beta1).sign();
    x.mul_(1 - kLr * o.weight_decay).add_(u, -kLr);
    m.mul_(o.beta2).add_(g, 1 - o.beta2);
    ASSERT_TRUE(torch::equal(view(arena.parameters()), x)) << step;
    ASSERT_TRUE(torch::equal(view(arena.state(0)), m)) << step;
  }
}

} // namespace
} // namespace grapevine::algo
