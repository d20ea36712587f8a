#include "tensor/bind/bind.h"

#include "base/error.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

namespace grapevine::tensor {
namespace {

struct Net : torch::nn::Module {
  Net() {
    conv = register_module("conv", torch::nn::Conv2d(3, 4, 3));
    norm = register_module("norm", torch::nn::BatchNorm2d(4));
    fc = register_module("fc", torch::nn::Linear(4, 2));
  }
  torch::Tensor forward(torch::Tensor x) {
    return fc(torch::relu(norm(conv(x))).mean({2, 3}));
  }
  torch::nn::Conv2d conv{nullptr};
  torch::nn::BatchNorm2d norm{nullptr};
  torch::nn::Linear fc{nullptr};
};

tensor::Arena make_arena(const torch::nn::Module& module) {
  return tensor::Arena(
      std::make_shared<tensor::Layout>(parameter_layout(module)),
      std::make_shared<tensor::Layout>(buffer_layout(module)),
      1);
}

TEST(Bind, LayoutFollowsTheModule) {
  const Net net;
  const tensor::Layout layout = parameter_layout(net);
  ASSERT_EQ(layout.tensors().size(), 6U);
  EXPECT_EQ(layout.tensors()[0].name, "conv.weight");
  EXPECT_EQ(layout.tensors()[0].shape, (std::vector<int64_t>{4, 3, 3, 3}));
  EXPECT_EQ(layout.tensors()[5].name, "fc.bias");
  const tensor::Layout buffers = buffer_layout(net);
  ASSERT_EQ(buffers.tensors().size(), 2U); // not num_batches_tracked
  EXPECT_EQ(buffers.tensors()[1].name, "norm.running_var");
}

TEST(Bind, ValuesStayAndGradientsAccumulateInThePlane) {
  Net net;
  const torch::Tensor before = net.fc->weight.detach().clone();
  tensor::Arena arena = make_arena(net);
  bind_module(net, arena);
  verify_bound(net, arena);
  EXPECT_TRUE(torch::equal(before, net.fc->weight));
  const torch::Tensor x = torch::randn({2, 3, 8, 8});
  for (int times = 1; times <= 2; ++times) {
    net.forward(x).sum().backward();
    verify_bound(net, arena);
  }
  const auto& entry = arena.layout().tensors()[5];
  // d(sum)/d(bias) = batch size, twice.
  EXPECT_EQ(arena.gradients()[entry.offset], 4.0F);
  net.zero_grad(false);
  EXPECT_EQ(arena.gradients()[entry.offset], 0.0F);
  verify_bound(net, arena);
  // Writing to the plane changes the model.
  arena.parameters()[entry.offset] = 42;
  EXPECT_EQ(net.fc->bias[0].item<float>(), 42.0F);
  // Running statistics are written to the buffer plane.
  EXPECT_NE(arena.buffers()[0], 0.0F);
}

TEST(Bind, WhatUnbindsIsNoticedByName) {
  {
    Net net;
    tensor::Arena arena = make_arena(net);
    bind_module(net, arena);
    net.zero_grad(true);
    EXPECT_THROW(verify_bound(net, arena), Error);
  }
  Net net;
  tensor::Arena arena = make_arena(net);
  bind_module(net, arena);
  net.fc->to(torch::kFloat64);
  try {
    verify_bound(net, arena);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("fc.weight"), std::string::npos);
  }
}

struct Tied : torch::nn::Module {
  Tied() {
    weight = register_parameter("first", torch::randn({3, 3}));
    register_parameter("second", weight);
  }
  torch::Tensor weight;
};

TEST(Bind, TiedWeightsStandOnce) {
  Tied net;
  const tensor::Layout layout = parameter_layout(net);
  ASSERT_EQ(layout.tensors().size(), 1U);
  EXPECT_EQ(layout.tensors()[0].name, "first");
  tensor::Arena arena = make_arena(net);
  bind_module(net, arena);
  verify_bound(net, arena);
}

TEST(Bind, OtherTypesAreRefusedByName) {
  Net net;
  net.to(torch::kFloat64);
  try {
    parameter_layout(net);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("conv.weight"), std::string::npos);
  }
}

} // namespace
} // namespace grapevine::tensor
