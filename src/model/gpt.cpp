// A decoder-only transformer with the norms before the layers (Radford et al.
// 2019, "GPT-2"):
//
//   x      = wte[token] + wpe[position]
//   block:   x <- x + attn.c_proj(attention(attn.c_attn(ln_1(x))))
//            x <- x + mlp.c_proj(gelu(mlp.c_fc(ln_2(x))))
//   logits = ln_f(x) wte^T                          (tied embeddings)
//
// attention: softmax(q k^T / sqrt(width / heads)) v in every head, over the
// positions up to its own; c_attn gives q, k and v in one product; c_fc has
// four times the width; gelu in its tanh form. Dropout, where there is any, on
// the embedding, on the attention's weights and on what is added to x.
//
// Initial values as published: weights normal with sd 0.02, those of both
// c_proj with 0.02 / sqrt(2 layers), since so many terms are added up; biases
// 0, norms 1 and 0.
#include "model/models.h"

#include "base/check.h"
#include "model/initial.h"
#include "model/layers.h"

#include <torch/torch.h>

#include <cmath>

namespace grapevine::model {
namespace {

// What a block needs to know of the batch.
struct Pass {
  int64_t samples;
  torch::Tensor mask; // [1, T, T]: 0 up to the own position, -inf behind it
  double dropout;     // 0 in evaluation
  ChanceAddress chance;
};

class AttentionImpl final : public torch::nn::Module {
 public:
  explicit AttentionImpl(const GptSize& size)
      : heads_(size.heads),
        c_attn_(register_module("c_attn", Linear(size.width, 3 * size.width))),
        c_proj_(register_module("c_proj", Linear(size.width, size.width))) {}

  torch::Tensor
  forward(const torch::Tensor& x, const Pass& pass, uint64_t layer) {
    const auto qkv = split_heads(c_attn_->forward(x), 3, pass.samples, heads_);
    const auto seen = attend(
        qkv[0],
        qkv[1],
        qkv[2],
        pass.mask,
        {.p = pass.dropout, .chance = pass.chance, .layer = layer});
    return c_proj_->forward(join_heads(seen, heads_));
  }

 private:
  int64_t heads_;
  Linear c_attn_;
  Linear c_proj_;
};
TORCH_MODULE(Attention);

class PerceptronImpl final : public torch::nn::Module {
 public:
  explicit PerceptronImpl(int64_t width)
      : c_fc_(register_module("c_fc", Linear(width, 4 * width))),
        c_proj_(register_module("c_proj", Linear(4 * width, width))) {}

  torch::Tensor forward(const torch::Tensor& x) {
    return c_proj_->forward(torch::gelu(c_fc_->forward(x), "tanh"));
  }

 private:
  Linear c_fc_;
  Linear c_proj_;
};
TORCH_MODULE(Perceptron);

class BlockImpl final : public torch::nn::Module {
 public:
  explicit BlockImpl(const GptSize& size)
      : ln_1_(register_module("ln_1", make_norm(size.width))),
        attn_(register_module("attn", Attention(size))),
        ln_2_(register_module("ln_2", make_norm(size.width))),
        mlp_(register_module("mlp", Perceptron(size.width))) {}

  // x [B T, width]; layer: the first of the block's three dropouts.
  torch::Tensor
  forward(const torch::Tensor& x, const Pass& pass, uint64_t layer) {
    const auto attended = attn_->forward(ln_1_->forward(x), pass, layer);
    const auto y = x + dropout(attended, pass.dropout, pass.chance, layer + 1);
    const auto thought = mlp_->forward(ln_2_->forward(y));
    return y + dropout(thought, pass.dropout, pass.chance, layer + 2);
  }

 private:
  torch::nn::LayerNorm ln_1_;
  Attention attn_;
  torch::nn::LayerNorm ln_2_;
  Perceptron mlp_;
};
TORCH_MODULE(Block);

class Gpt final : public Model {
 public:
  Gpt(const ModelOptions& options, const GptSize& size)
      : Model(options.name),
        dropout_(options.dropout),
        wte_(register_module("wte", Table(options.classes, size.width))),
        wpe_(
            register_module("wpe", Table(options.sample_shape[0], size.width))),
        h_(register_module("h", torch::nn::ModuleList())),
        ln_f_(register_module("ln_f", make_norm(size.width))) {
    for (int i = 0; i < size.layers; ++i)
      h_->push_back(Block(size));
  }

  torch::Tensor forward(torch::Tensor input) override {
    const int64_t positions = input.size(1);
    const Pass pass = {
        .samples = input.size(0),
        // Made anew: cheap beside what it is added to, and no memory of a
        // replica.
        .mask = causal_mask(positions, wte_->weight),
        .dropout = is_training() ? dropout_ : 0,
        .chance = chance()};
    auto x = torch::embedding(wte_->weight, input) +
             wpe_->weight.narrow(0, 0, positions);
    x = dropout(x.flatten(0, 1), pass.dropout, pass.chance, 0);
    uint64_t layer = 1;
    for (const auto& block : *h_) {
      x = block->as<BlockImpl>()->forward(x, pass, layer);
      layer += 3;
    }
    return torch::linear(ln_f_->forward(x), wte_->weight);
  }

 private:
  double dropout_;
  Table wte_;
  Table wpe_;
  torch::nn::ModuleList h_;
  torch::nn::LayerNorm ln_f_;
};

} // namespace

std::shared_ptr<Model> make_gpt(
    const ModelOptions& options,
    const GptSize& size) {
  GV_CHECK_EQ(size.width % size.heads, 0);
  auto model = std::make_shared<Gpt>(options, size);
  if (options.blank) return model;
  constexpr double kSd = 0.02;
  const double projection = kSd / std::sqrt(2.0 * size.layers);
  set_values(
      *model,
      options.seed,
      [&](const std::string& name, const torch::Tensor& tensor) {
        if (tensor.dim() < 2) return bias_or_scale(name);
        return normal(name.ends_with("c_proj.weight") ? projection : kSd);
      });
  return model;
}

} // namespace grapevine::model
