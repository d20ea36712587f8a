// When gradients are final: each once a backward, and already at its end value.
#include "tensor/bind/gradient_hooks.h"
#include "base/error.h"
#include "tensor/bind/bind.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

namespace grapevine::tensor {
namespace {

// Two layers of which the second is used twice, one that is used only when
// asked for, and the first one's weight once more at the end.
struct Net : torch::nn::Module {
  Net() {
    first = register_module("first", torch::nn::Linear(4, 4));
    twice = register_module("twice", torch::nn::Linear(4, 4));
    rare = register_module("rare", torch::nn::Linear(4, 4));
    bias = register_parameter("last", torch::zeros({4}));
  }
  torch::Tensor forward(torch::Tensor x) {
    x = torch::relu(first(x));
    x = torch::relu(twice(twice(x)));
    if (uses_rare) x = rare(x);
    return torch::linear(x, first->weight, bias);
  }
  torch::nn::Linear first{nullptr};
  torch::nn::Linear twice{nullptr};
  torch::nn::Linear rare{nullptr};
  torch::Tensor bias;
  bool uses_rare = true;
};

class GradientHooksTest : public ::testing::Test {
 protected:
  GradientHooksTest()
      : arena_(
            std::make_shared<tensor::Layout>(parameter_layout(net_)),
            std::make_shared<tensor::Layout>(buffer_layout(net_)),
            0) {
    bind_module(net_, arena_);
  }

  int tensor(const std::string& name) const {
    const auto& tensors = arena_.layout().tensors();
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (tensors[i].name == name) return static_cast<int>(i);
    }
    return -1;
  }

  void backward() {
    torch::manual_seed(3);
    net_.forward(torch::randn({2, 4})).square().sum().backward();
  }

  Net net_;
  tensor::Arena arena_;
};

TEST_F(GradientHooksTest, EachOnceAndFinal) {
  std::vector<int> order;
  std::vector<std::vector<float>> seen(arena_.layout().tensors().size());
  {
    const GradientHooks hooks(net_, [&](int tensor) {
      order.push_back(tensor);
      const Range range = arena_.layout().tensors()[tensor].range();
      seen[tensor].assign(
          arena_.gradients().begin() + range.begin,
          arena_.gradients().begin() + range.end);
    });
    backward();
  }
  ASSERT_EQ(order.size(), arena_.layout().tensors().size());
  for (size_t t = 0; t < seen.size(); ++t) {
    const Range range = arena_.layout().tensors()[t].range();
    EXPECT_TRUE(std::equal(
        seen[t].begin(),
        seen[t].end(),
        arena_.gradients().begin() + range.begin))
        << arena_.layout().tensors()[t].name;
  }
  // Backward begins at the end; the weight that is used there too has to wait
  // for its other use.
  EXPECT_EQ(order.front(), tensor("last"));
  const auto at = [&](const char* name) {
    return std::ranges::find(order, tensor(name)) - order.begin();
  };
  EXPECT_GT(at("first.weight"), at("twice.weight"));
  backward();
  EXPECT_EQ(order.size(), arena_.layout().tensors().size())
      << "hooks outlive their object";
}

TEST_F(GradientHooksTest, UnusedParametersAreNotNamed) {
  std::vector<int> order;
  const GradientHooks hooks(net_, [&](int tensor) { order.push_back(tensor); });
  net_.uses_rare = false;
  backward();
  EXPECT_EQ(order.size(), arena_.layout().tensors().size() - 2);
  EXPECT_EQ(std::ranges::count(order, tensor("rare.weight")), 0);
}

// A parameter may be changed as soon as it is named: nothing needs it any more.
TEST_F(GradientHooksTest, UpdatingWhileBackwardRunsChangesNoGradient) {
  backward();
  const std::vector<float> expected(
      arena_.gradients().begin(),
      arena_.gradients().end());
  arena_.clear_gradients();
  const GradientHooks hooks(net_, [&](int tensor) {
    const Range range = arena_.layout().tensors()[tensor].range();
    for (int64_t i = range.begin; i < range.end; ++i)
      arena_.parameters()[i] = 1e6F;
  });
  backward();
  EXPECT_TRUE(std::ranges::equal(arena_.gradients(), expected));
}

TEST_F(GradientHooksTest, ErrorsComeOutOfBackward) {
  const GradientHooks hooks(net_, [](int) { throw ConfigError("mine"); });
  EXPECT_THROW(backward(), ConfigError);
}

} // namespace
} // namespace grapevine::tensor
