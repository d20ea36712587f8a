// Densely connected networks for CIFAR (Huang, Liu, van der Maaten, Weinberger
// 2017), of depth 100 and growth k = 12:
//
//   features.conv0 3x3 - three dense blocks with a transition behind the first
//   and the second - norm5 - relu - global average - classifier
//   dense block      x_0; x_{i+1} = [x_i, layer_i(x_i)] along the channels
//   layer (x)        conv1(relu(norm1(x))), 3x3 with k outputs; with
//                    bottleneck conv2(relu(norm2(conv1(relu(norm1(x)))))), 1x1
//                    with 4 k outputs and 3x3 with k
//   transition (x)   conv(relu(norm(x))), 1x1, then averages of 2 x 2
//
//   densenet100        DenseNet-BC: bottlenecks, 16 layers a block, a stem of
//                      2 k, transitions that halve the channels; 769,162
//                      parameters for 3 channels and 10 classes
//   densenet100-plain  neither bottleneck nor compression, 32 layers a block, a
//                      stem of 16: published as 7.0 M. With c channels in front
//                      a layer has 2 c + 108 c, a transition 2 c + c^2:
//                        stem                                       432
//                        block of 16, 28, …, 388 channels       711,040
//                        transition of 400                      160,800
//                        block of 400, …, 772                 2,062,720
//                        transition of 784                      616,224
//                        block of 784, …, 1156                3,414,400
//                        norm of 1168, classifier                14,026
//                      6,979,642 in all
//
// Convolutions begin He-normal by fan-in, as published (He et al. 2015), the
// classifier uniform in +-1/sqrt(fan_in) with zero bias. No dropout (published
// for use without augmentation). Takes images of at least 8 x 8.
//
// The list of all features is never concatenated again: a block carries its
// channels in one tensor, which each layer copies once when it adds its k, and
// of which the gradient is summed once a layer. Inside, tensors are
// channels-last. Both is faster here (docs/models.md has the figures).
#include "model/models.h"

#include "model/initial.h"
#include "model/layers.h"

#include <torch/torch.h>

#include <string>
#include <vector>

namespace grapevine::model {
namespace {

constexpr int64_t kGrowth = 12;
constexpr int kBlocks = 3;

struct Design {
  int64_t stem;   // channels
  int64_t layers; // of a block
  bool has_bottleneck;
  int64_t compression; // a transition divides the channels by it
};

class LayerImpl final : public torch::nn::Module {
 public:
  LayerImpl(const Design& design, int64_t in)
      : norm1_(register_module("norm1", torch::nn::BatchNorm2d(in))) {
    if (!design.has_bottleneck) {
      conv1_ =
          register_module("conv1", Conv(ConvOptions{.in = in, .out = kGrowth}));
      return;
    }
    const int64_t inside = 4 * kGrowth;
    conv1_ = register_module(
        "conv1",
        Conv(ConvOptions{.in = in, .out = inside, .kernel = 1}));
    norm2_ = register_module("norm2", torch::nn::BatchNorm2d(inside));
    conv2_ = register_module(
        "conv2",
        Conv(ConvOptions{.in = inside, .out = kGrowth}));
  }

  torch::Tensor forward(const torch::Tensor& input) {
    auto x = conv1_->forward(norm1_->forward(input).relu_());
    if (conv2_.is_empty()) return x;
    return conv2_->forward(norm2_->forward(x).relu_());
  }

 private:
  torch::nn::BatchNorm2d norm1_;
  Conv conv1_{nullptr};
  torch::nn::BatchNorm2d norm2_{nullptr}; // with a bottleneck
  Conv conv2_{nullptr};                   // the same
};
TORCH_MODULE(Layer);

class DenseBlockImpl final : public torch::nn::Module {
 public:
  DenseBlockImpl(const Design& design, int64_t in) {
    for (int64_t i = 0; i < design.layers; ++i) {
      layers_.push_back(register_module(
          "denselayer" + std::to_string(i + 1),
          Layer(design, in + i * kGrowth)));
    }
  }

  torch::Tensor forward(const torch::Tensor& input) {
    torch::Tensor x = input;
    for (auto& layer : layers_)
      x = torch::cat({x, layer->forward(x)}, 1);
    return x;
  }

 private:
  std::vector<Layer> layers_;
};
TORCH_MODULE(DenseBlock);

class TransitionImpl final : public torch::nn::Module {
 public:
  TransitionImpl(int64_t in, int64_t out)
      : norm_(register_module("norm", torch::nn::BatchNorm2d(in))),
        conv_(register_module(
            "conv",
            Conv(ConvOptions{.in = in, .out = out, .kernel = 1}))) {}

  torch::Tensor forward(const torch::Tensor& input) {
    return torch::avg_pool2d(
        conv_->forward(norm_->forward(input).relu_()),
        /*kernel_size=*/2);
  }

 private:
  torch::nn::BatchNorm2d norm_;
  Conv conv_;
};
TORCH_MODULE(Transition);

// The stem, blocks and transitions, and the last norm, under their published
// names; `width` becomes the channels behind it.
torch::nn::Sequential
make_features(const Design& design, int64_t channels, int64_t& width) {
  width = design.stem;
  torch::nn::Sequential features;
  features->push_back("conv0", Conv(ConvOptions{.in = channels, .out = width}));
  for (int block = 1; block <= kBlocks; ++block) {
    const std::string number = std::to_string(block);
    features->push_back("denseblock" + number, DenseBlock(design, width));
    width += design.layers * kGrowth;
    if (block == kBlocks) break;
    const int64_t out = width / design.compression;
    features->push_back("transition" + number, Transition(width, out));
    width = out;
  }
  features->push_back("norm5", torch::nn::BatchNorm2d(width));
  return features;
}

class Densenet final : public Model {
 public:
  Densenet(const Design& design, const ModelOptions& options)
      : Model(options.name) {
    int64_t width = 0;
    features_ = register_module(
        "features",
        make_features(design, options.sample_shape[0], width));
    classifier_ = register_module("classifier", Linear(width, options.classes));
  }

  torch::Tensor forward(torch::Tensor input) override {
    const auto images = input.contiguous(torch::MemoryFormat::ChannelsLast);
    const auto x = features_->forward(images).relu_();
    return classifier_->forward(
        torch::adaptive_avg_pool2d(x, {1, 1}).flatten(1));
  }

 private:
  torch::nn::Sequential features_{nullptr};
  Linear classifier_{nullptr};
};

} // namespace

std::shared_ptr<Model> make_densenet(const ModelOptions& options) {
  const Design design =
      options.name == "densenet100"
          ? Design{.stem = 2 * kGrowth, .layers = 16, .has_bottleneck = true, .compression = 2}
          : Design{
                .stem = 16,
                .layers = 32,
                .has_bottleneck = false,
                .compression = 1};
  auto model = std::make_shared<Densenet>(design, options);
  set_initial_values(
      *model,
      options.seed,
      {.convolution = WeightRule::kHeFanIn, .linear = WeightRule::kLecun});
  return model;
}

} // namespace grapevine::model
