#include "model/models.h"
#include "model/transformer_layers.h"

#include "model/pairs.h"

namespace grapevine::model {
namespace {

// Of torch's own layers, one sample at a time and without padding.
class TorchsTransformer {
 public:
  explicit TorchsTransformer(Model& model) : values_(model.named_parameters()) {
    const auto& size = kSmallTransformer;
    for (int i = 0; i < size.layers; ++i) {
      encoder_.push_back(torch::nn::TransformerEncoderLayer(
          torch::nn::TransformerEncoderLayerOptions(size.width, size.heads)
              .dim_feedforward(size.inner)
              .dropout(0)));
      decoder_.push_back(torch::nn::TransformerDecoderLayer(
          torch::nn::TransformerDecoderLayerOptions(size.width, size.heads)
              .dim_feedforward(size.inner)
              .dropout(0)));
      const auto layer = std::to_string(i) + ".";
      fill(*encoder_.back(), "encoder.layers." + layer);
      fill(*decoder_.back(), "decoder.layers." + layer);
    }
  }

  torch::Tensor logits(const SentencePair& pair) {
    Sentence source = pair.source;
    source.push_back(kEos);
    auto memory = embed(source);
    for (auto& layer : encoder_)
      memory = layer->forward(memory);
    Sentence target = pair.target;
    target.insert(target.begin(), kBos);
    auto y = embed(target);
    const auto mask = causal_mask(y.size(0), y)[0];
    for (auto& layer : decoder_)
      y = layer->forward(y, memory, mask);
    return torch::mm(y.squeeze(1), values_["embedding.weight"].t());
  }

  std::vector<std::string> names() const {
    std::vector<std::string> names = {"embedding.weight"};
    const auto add = [&](auto& layers, const std::string& stack) {
      for (size_t i = 0; i < layers.size(); ++i) {
        const auto prefix = stack + ".layers." + std::to_string(i) + ".";
        for (const auto& item : layers[i]->named_parameters())
          names.push_back(prefix + item.key());
      }
    };
    add(encoder_, "encoder");
    add(decoder_, "decoder");
    return names;
  }

 private:
  void fill(torch::nn::Module& layer, const std::string& prefix) {
    layer.to(torch::kDouble);
    const torch::NoGradGuard no_grad;
    for (auto& item : layer.named_parameters())
      item.value().copy_(values_[prefix + item.key()]);
  }

  // [positions, 1, width]
  torch::Tensor embed(const Sentence& sentence) const {
    const int width = kSmallTransformer.width;
    std::vector<torch::Tensor> rows;
    for (size_t t = 0; t < sentence.size(); ++t) {
      auto row = values_["embedding.weight"][sentence[t]] *
                 std::sqrt(static_cast<double>(width));
      std::vector<double> position;
      for (int i = 0; i < width; ++i) {
        const double angle =
            static_cast<double>(t) / std::pow(10000, (i - i % 2) / double{8});
        position.push_back(i % 2 == 0 ? std::sin(angle) : std::cos(angle));
      }
      rows.push_back(row + torch::tensor(position, torch::kDouble));
    }
    return torch::stack(rows).unsqueeze(1);
  }

  torch::OrderedDict<std::string, torch::Tensor> values_;
  std::vector<torch::nn::TransformerEncoderLayer> encoder_;
  std::vector<torch::nn::TransformerDecoderLayer> decoder_;
};

// Logits [pairs, T, classes] of rows with T columns from bos on.
torch::Tensor logits_of(
    Model& model,
    const std::vector<SentencePair>& pairs,
    int64_t more = 0) {
  const auto logits = model.forward(rows_of(pairs, more));
  const auto samples = static_cast<int64_t>(pairs.size());
  return logits.view({samples, -1, logits.size(1)});
}

TEST(Transformer, IsTorchsOwnLayersWhateverThePadding) {
  const auto model = small_transformer();
  TorchsTransformer torchs(*model);
  const auto pairs = some_pairs();
  for (const int64_t more : {0, 3}) {
    const auto logits = logits_of(*model, pairs, more);
    for (size_t i = 0; i < pairs.size(); ++i) {
      const auto expected = torchs.logits(pairs[i]);
      const auto found =
          logits[static_cast<int64_t>(i)].narrow(0, 0, expected.size(0));
      EXPECT_TRUE(torch::allclose(found, expected, 1e-10, 1e-10)) << i;
    }
  }
}

TEST(Transformer, NamesAreThoseOfPyTorch) {
  const auto model = small_transformer();
  std::vector<std::string> names;
  for (const auto& item : model->named_parameters())
    names.push_back(item.key());
  EXPECT_EQ(names, TorchsTransformer(*model).names());
}

TEST(Transformer, SeesNothingOfWhatFollows) {
  const auto model = small_transformer();
  const auto before = logits_of(*model, {{{3, 4}, {5, 6, 7, 8}}})[0];
  const auto after = logits_of(*model, {{{3, 4}, {5, 6, 9, 8}}})[0];
  const auto same = before.eq(after).all(1);
  EXPECT_TRUE(same.narrow(0, 0, 3).all().item<bool>());
  EXPECT_FALSE(same.narrow(0, 3, 2).any().item<bool>());
}

class TransformerGradients : public testing::TestWithParam<double> {};

TEST_P(TransformerGradients, AreThoseOfFiniteDifferences) {
  const auto model = small_transformer(11, GetParam());
  model->set_pass({.chance = {.seed = 1, .rank = 2, .step = 3}});
  const auto input = rows_of(some_pairs());
  expect_gradients(*model, [&] {
    const auto logits = model->forward(input);
    auto labels = torch::arange(logits.size(0), torch::kLong).remainder(11);
    labels[1] = -100;
    return torch::nn::functional::cross_entropy(logits, labels);
  });
}

INSTANTIATE_TEST_SUITE_P(
    Dropout,
    TransformerGradients,
    testing::Values(0.0, 0.3),
    [](const auto& info) { return info.param > 0 ? "On" : "Off"; });

TEST(Transformer, DropoutIsForTraining) {
  const auto model = small_transformer(11, 0.3);
  const auto plain = small_transformer();
  const auto input = rows_of(some_pairs());
  const auto trained = model->forward(input);
  EXPECT_FALSE(torch::equal(trained, plain->forward(input)));
  EXPECT_TRUE(torch::equal(trained, model->forward(input)));
  model->eval();
  EXPECT_TRUE(torch::equal(model->forward(input), plain->forward(input)));
}

// One token at a time, with rows copied, dropped and put in another order on
// the way, is the same as all at once.
TEST(Transformer, StepsAreForward) {
  const auto model = small_transformer();
  model->eval();
  const std::vector<Sentence> sources = {{3, 4, 5}, {6}, {7, 8}};
  const auto rows =
      rows_of({{sources[0], {}}, {sources[1], {}}, {sources[2], {}}});
  const auto translation = model->begin(rows.narrow(1, 0, 4));
  std::vector<int64_t> whose = {0, 1, 2};
  std::vector<Sentence> written(3);
  auto next = torch::full({3}, kBos, torch::kLong);
  const std::vector<std::vector<int64_t>> moves = {
      {0, 0, 1, 2},
      {1, 0, 3, 3},
      {2, 0},
      {1, 0}};
  for (size_t step = 0; step < moves.size(); ++step) {
    const auto logits = translation->step(next);
    for (size_t row = 0; row < whose.size(); ++row) {
      const auto whole =
          logits_of(*model, {{sources[whose[row]], written[row]}})[0];
      EXPECT_TRUE(torch::allclose(
          logits[static_cast<int64_t>(row)],
          whole[static_cast<int64_t>(step)],
          1e-10,
          1e-10));
    }
    const auto old_written = written;
    const auto old_whose = whose;
    written.clear();
    whose.clear();
    std::vector<int64_t> tokens;
    for (const int64_t from : moves[step]) {
      tokens.push_back(3 + static_cast<int64_t>(3 * step + tokens.size()) % 8);
      written.push_back(old_written[from]);
      written.back().push_back(tokens.back());
      whose.push_back(old_whose[from]);
    }
    translation->keep(torch::tensor(moves[step]));
    next = torch::tensor(tokens);
  }
}

TEST(Transformer, BeginsAsPublished) {
  const auto model = make_transformer(
      {.name = "transformer-tiny",
       .sample_shape = {20},
       .classes = 1000,
       .tokens = true,
       .pairs = true,
       .seed = 1},
      kTransformerTiny);
  const auto values = model->named_parameters();
  const auto largest = [&](const std::string& name) {
    return values[name].abs().max().item<double>();
  };
  EXPECT_NEAR(values["embedding.weight"].std().item<double>(), 1.0 / 16, 1e-3);
  EXPECT_NEAR(
      largest("encoder.layers.0.linear1.weight"),
      std::sqrt(6.0 / 1280),
      1e-4);
  EXPECT_NEAR(
      largest("decoder.layers.2.multihead_attn.in_proj_weight"),
      std::sqrt(6.0 / 1024),
      1e-4);
  EXPECT_EQ(largest("decoder.layers.1.self_attn.in_proj_bias"), 0);
  EXPECT_EQ(largest("decoder.layers.1.norm3.weight"), 1);
}

} // namespace
} // namespace grapevine::model
