// Residual networks (He, Zhang, Ren, Sun 2016):
//
//   stem     conv1 - bn - relu, for large images followed by a max-pool of
//            3 x 3 with stride 2
//   stages   layer1, layer2, …: blocks of one width each; the first block of
//            every stage but the first halves rows and columns
//   head     global average - fc
//   basic block (x)  = relu(bn2(conv2(relu(bn1(conv1(x))))) + shortcut(x)),
//            both convolutions 3x3
//   bottleneck (x)   = relu(bn3(conv3(relu(bn2(conv2(relu(bn1(conv1(x))))))))
//            + shortcut(x)), of 1x1, 3x3 and 1x1, four times as wide behind as
//            inside; the stride is the 3x3's, as everybody trains it today
//            ("v1.5"), not the first 1x1's as in the paper
//
// The shortcut is x itself where the shape stays. Where it changes it is, in
// the networks of the paper's section 4.2 (CIFAR), without parameters (option
// A): every other row and column of x with channels of zeros behind its own.
// In the others it is a 1x1 convolution with a norm (option B).
//
//   resnet8, 20, 32, 56 3x3 stem of 16; 3 stages of 1, 3, 5, 9 basic blocks
//                       of 16, 32, 64; option A; 75,290, 269,722, 464,154 and
//                       853,018 parameters for 3 channels and 10 classes
//   resnet18            3x3 stem of 64; 4 stages of 2 basic blocks of 64, 128,
//                       256, 512; option B; 11,173,962 for 3 and 10
//   resnet18-imagenet   the same with a stem of 7x7, stride 2, and max-pool;
//                       11,689,512 for 3 and 1000
//   resnet50            that stem; 3, 4, 6, 3 bottlenecks of 64, 128, 256, 512;
//                       25,557,032 for 3 and 1000
//
// Initial values as in the code published with the paper's follow-up
// (fb.resnet.torch): convolutions He-normal by fan-out, fc uniform in
// +-1/sqrt(fan_in) with zero bias, norms 1 and 0; but in resnet50 the last
// norm of every block begins at scale 0, so that a block begins as its
// shortcut (Goyal et al. 2017, whose recipe for large batches is the one that
// the papers compare with; torchvision begins at 1). Takes images of at least
// 8 x 8 with any number of channels.
//
// Inside, tensors are channels-last, which is faster here for every one of
// them (docs/models.md has the figures).
#include "model/models.h"

#include "base/check.h"
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
  Resnet(const Design& design, const ModelOptions& options)
      : Model(options.name),
        has_pool_(design.stem == Stem::k7x7),
        conv1_(register_module(
            "conv1",
            Conv(stem_options(design, options.sample_shape[0])))),
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
    fc_ = register_module("fc", Linear(in, options.classes));
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

// blocks: of each of the three stages.
Design cifar(int64_t blocks) {
  return {
      .stem = Stem::k3x3,
      .block = BlockKind::kBasic,
      .shortcut = Shortcut::kPadded,
      .width = 16,
      .blocks = {blocks, blocks, blocks}};
}

Design eighteen(Stem stem) {
  return {
      .stem = stem,
      .block = BlockKind::kBasic,
      .shortcut = Shortcut::kProjected,
      .width = 64,
      .blocks = {2, 2, 2, 2}};
}

Design design_of(const std::string& name) {
  if (name == "resnet8") return cifar(1);
  if (name == "resnet20") return cifar(3);
  if (name == "resnet32") return cifar(5);
  if (name == "resnet56") return cifar(9);
  if (name == "resnet18") return eighteen(Stem::k3x3);
  if (name == "resnet18-imagenet") return eighteen(Stem::k7x7);
  GV_CHECK(name == "resnet50");
  return {
      .stem = Stem::k7x7,
      .block = BlockKind::kBottleneck,
      .shortcut = Shortcut::kProjected,
      .width = 64,
      .blocks = {3, 4, 6, 3},
      .zero_last_norms = true};
}

} // namespace

std::shared_ptr<Model> make_resnet(const ModelOptions& options) {
  const Design design = design_of(options.name);
  auto model = std::make_shared<Resnet>(design, options);
  set_initial_values(
      *model,
      options.seed,
      {.convolution = WeightRule::kHeFanOut, .linear = WeightRule::kLecun});
  if (design.zero_last_norms) clear_last_norms(*model);
  return model;
}

} // namespace grapevine::model
