#include "model/resnet.h"

#include "model/initial.h"
#include "model/layers.h"

#include <torch/torch.h>

#include <utility>

namespace grapevine::model {
namespace {

using torch::indexing::None;
using torch::indexing::Slice;

enum class BlockKind { kBasic, kBottleneck };
enum class Shortcut { kPadded, kProjected }; // options A and B
enum class Stem { k3x3, k7x7 };              // 7x7 halves twice

struct Design {
  const char* name;
  Stem stem;
  BlockKind block;
  Shortcut shortcut;
  int64_t width;               // of the stem and of layer1; doubles each stage
  std::vector<int64_t> blocks; // of each stage
  bool zero_last_norms = false;
};

// How many times wider a block is behind than inside.
int64_t expansion(BlockKind kind) {
  return kind == BlockKind::kBottleneck ? 4 : 1;
}

// Without parameters: every stride-th row and column, then channels of zeros.
torch::Tensor
padded(const torch::Tensor& input, int64_t stride, int64_t channels) {
  const Slice every(None, None, stride);
  const auto kept = input.index({Slice(), Slice(), every, every});
  // Columns, rows, channels; before and behind each.
  return torch::constant_pad_nd(
      kept,
      {0, 0, 0, 0, 0, channels - input.size(1)});
}

class BlockImpl final : public torch::nn::Module {
 public:
  BlockImpl(const Design& design, int64_t in, int64_t width, int64_t stride)
      : in_(in),
        out_(width * expansion(design.block)),
        stride_(stride) {
    if (design.block == BlockKind::kBasic) {
      add({.in = in, .out = width, .stride = stride});
      add({.in = width, .out = width});
    } else {
      add({.in = in, .out = width, .kernel = 1});
      add({.in = width, .out = width, .stride = stride});
      add({.in = width, .out = out_, .kernel = 1});
    }
    if (design.shortcut == Shortcut::kProjected && changes_shape()) {
      projection_ = register_module(
          "downsample",
          torch::nn::Sequential(
              Conv(ConvOptions{
                  .in = in,
                  .out = out_,
                  .kernel = 1,
                  .stride = stride}),
              torch::nn::BatchNorm2d(out_)));
    }
  }

  torch::Tensor forward(const torch::Tensor& input) {
    torch::Tensor x = input;
    for (size_t i = 0; i < convs_.size(); ++i) {
      if (i > 0) x = x.relu_();
      x = norms_[i]->forward(convs_[i]->forward(x));
    }
    x += shortcut(input);
    return x.relu_();
  }

 private:
  // A convolution and the norm behind it.
  void add(const ConvOptions& options) {
    const std::string number = std::to_string(convs_.size() + 1);
    convs_.push_back(register_module("conv" + number, Conv(options)));
    norms_.push_back(
        register_module("bn" + number, torch::nn::BatchNorm2d(options.out)));
  }

  bool changes_shape() const { return stride_ != 1 || in_ != out_; }

  torch::Tensor shortcut(const torch::Tensor& input) {
    if (!changes_shape()) return input;
    return projection_.is_empty() ? padded(input, stride_, out_)
                                  : projection_->forward(input);
  }

  int64_t in_;
  int64_t out_;
  int64_t stride_;
  std::vector<Conv> convs_;
  std::vector<torch::nn::BatchNorm2d> norms_;
  torch::nn::Sequential projection_{nullptr};
};
TORCH_MODULE(Block);

ConvOptions stem_options(const Design& design, int64_t channels) {
  const bool large = design.stem == Stem::k7x7;
  return {
      .in = channels,
      .out = design.width,
      .kernel = large ? 7 : 3,
      .stride = large ? 2 : 1};
}

class Resnet final : public Model {
 public:
  Resnet(const Design& design, int64_t channels, int classes)
      : Model(design.name),
        has_pool_(design.stem == Stem::k7x7),
        conv1_(register_module("conv1", Conv(stem_options(design, channels)))),
        bn1_(register_module("bn1", torch::nn::BatchNorm2d(design.width))) {
    int64_t in = design.width;
    int64_t width = design.width;
    for (const int64_t blocks : design.blocks) {
      torch::nn::Sequential stage;
      for (int64_t b = 0; b < blocks; ++b) {
        const bool halves = b == 0 && !stages_.empty();
        stage->push_back(Block(design, in, width, halves ? 2 : 1));
        in = width * expansion(design.block);
      }
      const std::string name = "layer" + std::to_string(stages_.size() + 1);
      stages_.push_back(register_module(name, stage));
      width *= 2;
    }
    fc_ = register_module("fc", Linear(in, classes));
  }

  torch::Tensor forward(torch::Tensor input) override {
    auto x = input.contiguous(torch::MemoryFormat::ChannelsLast);
    x = bn1_->forward(conv1_->forward(x)).relu_();
    if (has_pool_) {
      x = torch::max_pool2d(x, /*kernel_size=*/3, /*stride=*/2, /*padding=*/1);
    }
    for (auto& stage : stages_)
      x = stage->forward(x);
    return fc_->forward(torch::adaptive_avg_pool2d(x, {1, 1}).flatten(1));
  }

 private:
  bool has_pool_;
  Conv conv1_;
  torch::nn::BatchNorm2d bn1_;
  std::vector<torch::nn::Sequential> stages_;
  Linear fc_{nullptr};
};

// Every block begins as its shortcut.
void clear_last_norms(torch::nn::Module& model) {
  const torch::NoGradGuard no_grad;
  for (auto& item : model.named_parameters()) {
    if (item.key().ends_with("bn3.weight")) item.value().zero_();
  }
}

std::shared_ptr<Model> make(const Design& design, const ModelOptions& options) {
  auto model = std::make_shared<Resnet>(
      design,
      options.sample_shape[0],
      options.classes);
  set_initial_values(
      *model,
      options.seed,
      {.convolution = WeightRule::kHeFanOut, .linear = WeightRule::kLecun});
  if (design.zero_last_norms) clear_last_norms(*model);
  return model;
}

// blocks: of each of the three stages.
Design cifar(const char* name, int64_t blocks) {
  return {
      .name = name,
      .stem = Stem::k3x3,
      .block = BlockKind::kBasic,
      .shortcut = Shortcut::kPadded,
      .width = 16,
      .blocks = {blocks, blocks, blocks}};
}

Design eighteen(const char* name, Stem stem) {
  return {
      .name = name,
      .stem = stem,
      .block = BlockKind::kBasic,
      .shortcut = Shortcut::kProjected,
      .width = 64,
      .blocks = {2, 2, 2, 2}};
}

} // namespace

std::shared_ptr<Model> make_resnet8(const ModelOptions& options) {
  return make(cifar("resnet8", 1), options);
}

std::shared_ptr<Model> make_resnet20(const ModelOptions& options) {
  return make(cifar("resnet20", 3), options);
}

std::shared_ptr<Model> make_resnet32(const ModelOptions& options) {
  return make(cifar("resnet32", 5), options);
}

std::shared_ptr<Model> make_resnet56(const ModelOptions& options) {
  return make(cifar("resnet56", 9), options);
}

std::shared_ptr<Model> make_resnet18(const ModelOptions& options) {
  return make(eighteen("resnet18", Stem::k3x3), options);
}

std::shared_ptr<Model> make_resnet18_imagenet(const ModelOptions& options) {
  return make(eighteen("resnet18-imagenet", Stem::k7x7), options);
}

std::shared_ptr<Model> make_resnet50(const ModelOptions& options) {
  return make(
      {.name = "resnet50",
       .stem = Stem::k7x7,
       .block = BlockKind::kBottleneck,
       .shortcut = Shortcut::kProjected,
       .width = 64,
       .blocks = {3, 4, 6, 3},
       .zero_last_norms = true},
      options);
}

} // namespace grapevine::model
