// Ours against torch's own optimizers, tensor for tensor and bit for bit.
#include "algo/adam.h"
#include "base/random.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <vector>

namespace grapevine::algo {
namespace {

// Lengths that leave a rest of every vector width, and none.
const std::vector<std::vector<int64_t>> kShapes =
    {{100, 99}, {33}, {7}, {1}, {4097}, {2, 3, 5}, {64, 64}};

struct Case {
  bool decoupled;
  double weight_decay;
  double beta1;
  double beta2;
  double eps;
};

class EqualsTorch : public ::testing::TestWithParam<Case> {
 protected:
  EqualsTorch() {
    std::vector<tensor::TensorEntry> entries;
    for (const auto& shape : kShapes) {
      entries.push_back({.name = "t", .shape = shape});
      parameters_.push_back(torch::empty(shape).requires_grad_());
      parameters_.back().mutable_grad() = torch::empty(shape);
    }
    arena_ = std::make_unique<tensor::Arena>(
        std::make_shared<tensor::Layout>(std::move(entries)),
        std::make_shared<tensor::Layout>(),
        2);
  }

  torch::Tensor ours(std::span<float> plane, size_t tensor) const {
    const auto& entry = arena_->layout().tensors()[tensor];
    return torch::from_blob(plane.data() + entry.offset, entry.shape);
  }

  // The same numbers for both; small ones, large ones and zeros among them.
  static void fill(torch::Tensor mine, torch::Tensor& theirs, Random& random) {
    auto* values = mine.data_ptr<float>();
    for (int64_t i = 0; i < mine.numel(); ++i) {
      const double size = std::pow(10.0, 6 * random.uniform() - 4);
      const bool zero = random.uniform() < 0.05;
      values[i] = static_cast<float>(zero ? 0 : random.normal() * size);
    }
    const torch::NoGradGuard no_grad;
    theirs.copy_(mine);
  }

  std::unique_ptr<torch::optim::Optimizer> theirs(const Case& c) const {
    if (c.decoupled) {
      return std::make_unique<torch::optim::AdamW>(
          parameters_,
          torch::optim::AdamWOptions(0.003)
              .betas({c.beta1, c.beta2})
              .eps(c.eps)
              .weight_decay(c.weight_decay));
    }
    return std::make_unique<torch::optim::Adam>(
        parameters_,
        torch::optim::AdamOptions(0.003)
            .betas({c.beta1, c.beta2})
            .eps(c.eps)
            .weight_decay(c.weight_decay));
  }

  static std::unique_ptr<LocalRule> ours(const Case& c) {
    const RuleOptions options{
        .beta1 = c.beta1,
        .beta2 = c.beta2,
        .eps = c.eps,
        .weight_decay = c.weight_decay,
        .decay_everything = true};
    return std::make_unique<Adam>(
        options,
        c.decoupled ? DecayForm::kDecoupled : DecayForm::kL2);
  }

  std::unique_ptr<tensor::Arena> arena_;
  std::vector<torch::Tensor> parameters_;
};

TEST_P(EqualsTorch, InEveryBitOfEveryStep) {
  Random random(3, Purpose::kTest);
  for (size_t t = 0; t < kShapes.size(); ++t)
    fill(ours(arena_->parameters(), t), parameters_[t], random);
  const auto rule = ours(GetParam());
  const auto optimizer = theirs(GetParam());
  for (int64_t step = 0; step < 30; ++step) {
    for (size_t t = 0; t < kShapes.size(); ++t) {
      fill(ours(arena_->gradients(), t), parameters_[t].mutable_grad(), random);
    }
    const double lr = 0.003;
    rule->update(
        *arena_,
        {0, arena_->layout().size()},
        {.step = step, .lr = lr},
        {},
        {});
    optimizer->step();
    for (size_t t = 0; t < kShapes.size(); ++t) {
      const torch::Tensor mine = ours(arena_->parameters(), t);
      ASSERT_TRUE(torch::equal(mine, parameters_[t]))
          << "step " << step << ", tensor " << t << ": "
          << (mine != parameters_[t]).sum().item<int64_t>() << " of "
          << mine.numel() << " differ, by up to "
          << (mine / parameters_[t] - 1).abs().max().item<float>();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Options,
    EqualsTorch,
    ::testing::Values(
        Case{false, 0, 0.9, 0.999, 1e-8},
        Case{false, 0.01, 0.9, 0.999, 1e-8},
        Case{false, 0.01, 0.974, 0.98, 1e-9},
        Case{true, 0, 0.9, 0.999, 1e-8},
        Case{true, 0.1, 0.9, 0.95, 1e-8},
        Case{true, 0.1, 0.9, 0.98, 1e-6}));

} // namespace
} // namespace grapevine::algo
