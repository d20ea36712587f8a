// The transformer (Vaswani et al. 2017), encoder and decoder with the norms
// behind the layers:
//
//   embed(t) = sqrt(width) embedding[token t] + position(t)
//   memory   = encoder layers (embed(source))
//   logits   = decoder layers (embed(target), memory) embedding^T
//   position(t)[2 i]     = sin(t / 10000^(2 i / width))
//   position(t)[2 i + 1] = cos(t / 10000^(2 i / width))
//
// One embedding for source, target and output. The layers are those of
// model/transformer_layers.h; dropout as in the paper: on the embeddings and
// on what each sub-layer adds.
//
// Initial values: weights Xavier-uniform, +-sqrt(6 / (rows + columns)) of the
// tensor as it is stored; embedding normal with sd 1 / sqrt(width), so that
// what enters the first layer has sd 1; biases 0, norms 1 and 0.
//
// Takes rows of sentence pairs as base/sentence_tokens.h lays them out,
// [B, S + T], and gives logits [B * T, classes]; padding of the source is not
// looked at.
#include "model/models.h"

#include "base/check.h"
#include "base/sentence_tokens.h"
#include "model/initial.h"
#include "model/layers.h"
#include "model/transformer_layers.h"

#include <torch/torch.h>

#include <cmath>
#include <limits>
#include <utility>

namespace grapevine::model {
namespace {

// [positions, width] from position `first` on, of the type of `like`.
torch::Tensor
positions_from(int64_t first, int64_t count, const torch::Tensor& like) {
  const int64_t width = like.size(1);
  const auto exact = like.options().dtype(torch::kDouble);
  const auto at = torch::arange(first, first + count, exact).unsqueeze(1);
  const auto columns = torch::arange(0, width, 2, exact);
  const auto angles =
      at *
      torch::exp(columns * (-std::log(10000.0) / static_cast<double>(width)));
  return torch::stack({angles.sin(), angles.cos()}, 2)
      .view({count, width})
      .to(like.scalar_type());
}

// Hides the padding: [samples * heads, 1, positions].
torch::Tensor source_mask(
    const torch::Tensor& sources,
    int64_t heads,
    const torch::Tensor& like) {
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  return torch::zeros(sources.sizes(), like.options())
      .masked_fill(sources.eq(kPad), kNever)
      .unsqueeze(1)
      .repeat_interleave(heads, 0);
}

struct StackImpl final : torch::nn::Module {
  StackImpl() : layers(register_module("layers", torch::nn::ModuleList())) {}
  torch::nn::ModuleList layers;
};
TORCH_MODULE(Stack);

class Transformer final : public Translator {
 public:
  Transformer(const ModelOptions& options, const TransformerSize& size)
      : Translator(options.name),
        dropout_(options.dropout),
        heads_(size.heads),
        embedding_(
            register_module("embedding", Table(options.classes, size.width))),
        encoder_(register_module("encoder", Stack())),
        decoder_(register_module("decoder", Stack())) {
    for (int i = 0; i < size.layers; ++i) {
      encoder_->layers->push_back(EncoderLayer(size));
      decoder_->layers->push_back(DecoderLayer(size));
    }
  }

  torch::Tensor forward(torch::Tensor input) override {
    const int64_t split = bos_column(input);
    const int64_t samples = input.size(0);
    const auto sources = input.narrow(1, 0, split);
    const auto targets = input.narrow(1, split, input.size(1) - split);
    Dropper drop(is_training() ? dropout_ : 0, chance());
    const DecoderMasks masks = {
        .own = causal_mask(targets.size(1), embedding_->weight),
        .source = source_mask(sources, heads_, embedding_->weight)};
    const auto memory = encode(sources, masks.source, drop);
    auto y = drop(embed(targets, 0));
    for (const auto& layer : *decoder_->layers) {
      y = layer->as<DecoderLayerImpl>()
              ->forward(y, memory, samples, masks, drop);
    }
    return logits(y);
  }

  std::unique_ptr<Translation> begin(const torch::Tensor& sources) override;

 private:
  class Decoding;

  static int64_t bos_column(const torch::Tensor& input) {
    const auto column =
        input[0].eq(kBos).to(torch::kInt).argmax().item<int64_t>();
    GV_CHECK_EQ(input[0][column].item<int64_t>(), kBos);
    return column;
  }

  // [B * T, width] of tokens [B, T] at positions from `first` on.
  torch::Tensor embed(const torch::Tensor& tokens, int64_t first) const {
    const auto& weight = embedding_->weight;
    const auto scale = std::sqrt(static_cast<double>(weight.size(1)));
    return torch::add(
               positions_from(first, tokens.size(1), weight),
               torch::embedding(weight, tokens),
               scale)
        .flatten(0, 1);
  }

  torch::Tensor encode(
      const torch::Tensor& sources,
      const torch::Tensor& mask,
      Dropper& drop) {
    auto x = drop(embed(sources, 0));
    for (const auto& layer : *encoder_->layers) {
      x = layer->as<EncoderLayerImpl>()
              ->forward(x, sources.size(0), mask, drop);
    }
    return x;
  }

  torch::Tensor logits(const torch::Tensor& y) const {
    return torch::linear(y, embedding_->weight);
  }

  double dropout_;
  int64_t heads_;
  Table embedding_;
  Stack encoder_;
  Stack decoder_;
};

// Rows of x [rows * heads, …], taken by sample.
torch::Tensor
take_rows(const torch::Tensor& x, const torch::Tensor& rows, int64_t heads) {
  return x.unflatten(0, {-1, heads}).index_select(0, rows).flatten(0, 1);
}

class Transformer::Decoding final : public Translation {
 public:
  Decoding(Transformer& model, const torch::Tensor& sources)
      : model_(model),
        sources_(torch::arange(sources.size(0), sources.options())),
        mask_(source_mask(sources, model.heads_, model.embedding_->weight)) {
    const torch::NoGradGuard no_grad;
    Dropper nothing(0, {});
    const auto memory = model.encode(sources, mask_, nothing);
    for (const auto& layer : *model.decoder_->layers) {
      memories_.push_back(
          layer->as<DecoderLayerImpl>()->look_at(memory, sources.size(0)));
    }
    seen_.resize(memories_.size());
  }

  torch::Tensor step(const torch::Tensor& tokens) override {
    const torch::NoGradGuard no_grad;
    auto y = model_.embed(tokens.to(sources_.device()).unsqueeze(1), length_++);
    size_t i = 0;
    for (const auto& layer : *model_.decoder_->layers) {
      y = layer->as<DecoderLayerImpl>()->step(y, seen_[i], memories_[i], mask_);
      ++i;
    }
    return model_.logits(y);
  }

  void keep(const torch::Tensor& kept) override {
    const torch::NoGradGuard no_grad;
    const auto rows = kept.to(sources_.device());
    for (auto& [keys, values] : seen_) {
      if (!keys.defined()) continue;
      keys = take_rows(keys, rows, model_.heads_);
      values = take_rows(values, rows, model_.heads_);
    }
    // Rows mostly change places among those of their own source.
    const auto sources = sources_.index_select(0, rows);
    if (torch::equal(sources, sources_)) return;
    sources_ = sources;
    mask_ = take_rows(mask_, rows, model_.heads_);
    for (auto& [keys, values] : memories_) {
      keys = take_rows(keys, rows, model_.heads_);
      values = take_rows(values, rows, model_.heads_);
    }
  }

 private:
  Transformer& model_;
  int64_t length_ = 0;
  torch::Tensor sources_; // [rows]: whose translation a row is
  torch::Tensor mask_;    // the following by row and layer
  std::vector<KeysAndValues> memories_;
  std::vector<KeysAndValues> seen_;
};

std::unique_ptr<Translation> Transformer::begin(const torch::Tensor& sources) {
  return std::make_unique<Decoding>(*this, sources);
}

} // namespace

std::shared_ptr<Translator> make_transformer(
    const ModelOptions& options,
    const TransformerSize& size) {
  GV_CHECK_EQ(size.width % size.heads, 0);
  GV_CHECK_EQ(size.width % 2, 0);
  auto model = std::make_shared<Transformer>(options, size);
  if (options.blank) return model;
  set_values(
      *model,
      options.seed,
      [&](const std::string& name, const torch::Tensor& tensor) -> InitialDraw {
        if (tensor.dim() < 2) return bias_or_scale(name);
        return name == "embedding.weight"
                   ? normal(1 / std::sqrt(static_cast<double>(size.width)))
                   : xavier(tensor);
      });
  return model;
}

} // namespace grapevine::model
