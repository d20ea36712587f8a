#include "model/resnet.h"

#include "model/initial.h"
#include "model/layers.h"

#include <torch/torch.h>

namespace grapevine::model {
namespace {

using torch::indexing::None;
using torch::indexing::Slice;

class BlockImpl final : public torch::nn::Module {
 public:
  BlockImpl(int64_t in, int64_t out, int64_t stride)
      : added_channels_(out - in),
        stride_(stride),
        conv1_(register_module(
            "conv1",
            Conv3x3(ConvOptions{.in = in, .out = out, .stride = stride}))),
        bn1_(register_module("bn1", torch::nn::BatchNorm2d(out))),
        conv2_(register_module(
            "conv2",
            Conv3x3(ConvOptions{.in = out, .out = out}))),
        bn2_(register_module("bn2", torch::nn::BatchNorm2d(out))) {}

  torch::Tensor forward(const torch::Tensor& input) {
    auto x = bn1_->forward(conv1_->forward(input)).relu_();
    x = bn2_->forward(conv2_->forward(x));
    x += shortcut(input);
    return x.relu_();
  }

 private:
  torch::Tensor shortcut(const torch::Tensor& input) const {
    if (stride_ == 1 && added_channels_ == 0) return input;
    const Slice every(None, None, stride_);
    const auto kept = input.index({Slice(), Slice(), every, every});
    // Columns, rows, channels; before and behind each.
    return torch::constant_pad_nd(kept, {0, 0, 0, 0, 0, added_channels_});
  }

  int64_t added_channels_;
  int64_t stride_;
  Conv3x3 conv1_;
  torch::nn::BatchNorm2d bn1_;
  Conv3x3 conv2_;
  torch::nn::BatchNorm2d bn2_;
};
TORCH_MODULE(Block);

torch::nn::Sequential make_stage(int64_t in, int64_t out, int64_t stride) {
  return torch::nn::Sequential(
      Block(in, out, stride),
      Block(out, out, 1),
      Block(out, out, 1));
}

class Resnet20 final : public Model {
 public:
  Resnet20(int64_t channels, int classes)
      : Model("resnet20"),
        conv1_(register_module(
            "conv1",
            Conv3x3(ConvOptions{.in = channels, .out = 16}))),
        bn1_(register_module("bn1", torch::nn::BatchNorm2d(16))),
        layer1_(register_module("layer1", make_stage(16, 16, 1))),
        layer2_(register_module("layer2", make_stage(16, 32, 2))),
        layer3_(register_module("layer3", make_stage(32, 64, 2))),
        fc_(register_module("fc", Linear(64, classes))) {}

  torch::Tensor forward(torch::Tensor input) override {
    auto x = bn1_->forward(conv1_->forward(input)).relu_();
    x = layer1_->forward(x);
    x = layer2_->forward(x);
    x = layer3_->forward(x);
    return fc_->forward(torch::adaptive_avg_pool2d(x, {1, 1}).flatten(1));
  }

 private:
  Conv3x3 conv1_;
  torch::nn::BatchNorm2d bn1_;
  torch::nn::Sequential layer1_;
  torch::nn::Sequential layer2_;
  torch::nn::Sequential layer3_;
  Linear fc_;
};

} // namespace

std::shared_ptr<Model> make_resnet20(const ModelOptions& options) {
  auto model =
      std::make_shared<Resnet20>(options.sample_shape[0], options.classes);
  set_initial_values(
      *model,
      options.seed,
      {.convolution = WeightRule::kHeFanOut, .linear = WeightRule::kLecun});
  return model;
}

} // namespace grapevine::model
