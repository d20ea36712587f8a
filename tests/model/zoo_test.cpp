#include "model/zoo.h"

#include "base/error.h"
#include "base/sentence_tokens.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <map>

namespace grapevine::model {
namespace {

using Shape = std::vector<int64_t>;

ModelOptions of(const std::string& name, Shape shape, uint64_t seed = 1) {
  return {.name = name, .sample_shape = std::move(shape), .seed = seed};
}

ModelOptions of(const ModelEntry& entry, uint64_t seed = 1) {
  return {
      .name = entry.name,
      .sample_shape = entry.sample_shape,
      .classes = entry.classes,
      .tokens = entry.tokens,
      .pairs = entry.pairs,
      .seed = seed};
}

// The table at sizes that keep tests short: images of 8 x 8 at most, 10
// classes where there are more; texts of 8 tokens; the largest are left out.
std::vector<ModelEntry> small_models() {
  std::vector<ModelEntry> entries = model_table();
  for (auto& entry : entries) {
    if (entry.tokens) {
      entry.sample_shape = {8};
      entry.classes = 10;
    }
    if (entry.tokens || entry.sample_shape[1] < 32) continue;
    entry.sample_shape = {3, 8, 8};
    entry.classes = 10;
  }
  std::erase_if(entries, [](const ModelEntry& entry) {
    return entry.name == "gpt2-small" || entry.name == "transformer-base" ||
           entry.name == "transformer-big";
  });
  return entries;
}

std::vector<ModelEntry> image_models() {
  std::vector<ModelEntry> entries = small_models();
  std::erase_if(entries, [](const ModelEntry& entry) { return entry.tokens; });
  return entries;
}

torch::Tensor images(int64_t batch, const Shape& shape) {
  const auto generator = at::detail::createCPUGenerator(7);
  Shape sizes = {batch};
  sizes.insert(sizes.end(), shape.begin(), shape.end());
  return torch::randn(sizes, generator);
}

torch::Tensor inputs(int64_t batch, const ModelEntry& entry) {
  if (!entry.tokens) return images(batch, entry.sample_shape);
  const auto generator = at::detail::createCPUGenerator(7);
  auto tokens = torch::randint(
      kSentenceTokens,
      entry.classes,
      {batch, entry.sample_shape[0]},
      generator,
      torch::kLong);
  if (entry.pairs) { // half of it source and eos, half bos and target
    const int64_t half = entry.sample_shape[0] / 2;
    tokens.select(1, half - 1).fill_(kEos);
    tokens.select(1, half).fill_(kBos);
  }
  return tokens;
}

// 0, 1, 2, … as far as there are classes, and again: a label for every row of
// the logits.
torch::Tensor targets(int64_t batch, const ModelEntry& entry) {
  const int64_t labels = entry.pairs    ? entry.sample_shape[0] / 2
                         : entry.tokens ? entry.sample_shape[0]
                                        : 1;
  const int64_t rows = batch * labels;
  return torch::arange(rows, torch::kLong).remainder(entry.classes);
}

bool same_bits(Model& a, Model& b) {
  const auto left = a.named_parameters();
  for (const auto& item : b.named_parameters()) {
    if (!torch::equal(left[item.key()], item.value())) return false;
  }
  return true;
}

TEST(Zoo, ParameterCounts) {
  const std::map<std::string, int64_t> counts = {
      {"mlp", 118282},
      {"cnn", 20490},
      {"resnet8", 75290},
      {"resnet20", 269722},
      {"resnet32", 464154},
      {"resnet56", 853018},
      {"resnet18", 11173962},
      {"resnet18-imagenet", 11689512},
      {"resnet50", 25557032},
      {"densenet100", 769162},
      {"densenet100-plain", 6979642},
      {"gpt-nano", 29600},
      {"gpt-mini", 413312},
      {"gpt2-small", 124439808},
      {"lstm", 13987678},
      {"lstm-tied", 7332078},
      {"lstm-large", 50065078},
      {"transformer-tiny", 7627520},
      {"transformer-base", 63082496},
      {"transformer-big", 214245376}};
  ASSERT_EQ(model_table().size(), counts.size());
  for (const auto& entry : model_table()) {
    EXPECT_EQ(parameter_count(entry), counts.at(entry.name)) << entry.name;
    EXPECT_EQ(
        entry.task,
        entry.pairs    ? "translation"
        : entry.tokens ? "language model"
                       : "image classification");
  }
}

TEST(Zoo, Shapes) {
  const std::vector<Shape> shapes = {
      {1, 28, 28},
      {3, 32, 32},
      {2, 9, 11},
      {1, 8, 8}};
  for (const auto& entry : image_models()) {
    for (const auto& shape : shapes) {
      auto options = of(entry.name, shape);
      options.classes = 7;
      const auto model = make_model(options);
      const auto logits = model->forward(images(3, shape));
      EXPECT_EQ(logits.sizes(), (Shape{3, 7})) << entry.name;
      EXPECT_TRUE(logits.isfinite().all().item<bool>()) << entry.name;
    }
  }
}

TEST(Zoo, MlpTakesAnyShape) {
  for (const Shape& shape : {Shape{5}, Shape{2, 3}, Shape{1, 2, 3, 4}}) {
    const auto model = make_model(of("mlp", shape));
    EXPECT_EQ(model->forward(images(2, shape)).sizes(), (Shape{2, 10}));
  }
}

TEST(Zoo, NamesAreThoseOfPyTorch) {
  const auto names = [](const std::string& model, Shape shape) {
    std::vector<std::string> keys;
    for (const auto& item :
         make_model(of(model, std::move(shape)))->named_parameters()) {
      keys.push_back(item.key());
    }
    return keys;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(
      names("mlp", {1, 28, 28}),
      (Names{
          "fc1.weight",
          "fc1.bias",
          "fc2.weight",
          "fc2.bias",
          "fc3.weight",
          "fc3.bias"}));
  EXPECT_EQ(
      names("cnn", {1, 28, 28}),
      (Names{
          "conv1.weight",
          "conv1.bias",
          "conv2.weight",
          "conv2.bias",
          "fc.weight",
          "fc.bias"}));
  Names expected = {"conv1.weight", "bn1.weight", "bn1.bias"};
  for (const std::string layer : {"layer1", "layer2", "layer3"}) {
    for (const std::string block : {".0.", ".1.", ".2."}) {
      for (const std::string tensor :
           {"conv1.weight",
            "bn1.weight",
            "bn1.bias",
            "conv2.weight",
            "bn2.weight",
            "bn2.bias"}) {
        expected.push_back(layer + block + tensor);
      }
    }
  }
  expected.insert(expected.end(), {"fc.weight", "fc.bias"});
  EXPECT_EQ(names("resnet20", {3, 32, 32}), expected);
}

TEST(Zoo, BuffersAreThoseOfBatchNorm) {
  const auto model = make_model(of("resnet20", {3, 32, 32}));
  const auto buffers = model->named_buffers();
  EXPECT_EQ(buffers.size(), 19 * 3);
  EXPECT_TRUE(buffers.contains("layer3.2.bn2.running_var"));
  EXPECT_TRUE(make_model(of("cnn", {1, 28, 28}))->named_buffers().is_empty());
}

TEST(Zoo, InitialValuesAreTheirSeed) {
  for (const auto& entry : small_models()) {
    const auto first = make_model(of(entry, 5));
    torch::manual_seed(99);
    const auto again = make_model(of(entry, 5));
    const auto other = make_model(of(entry, 6));
    EXPECT_TRUE(same_bits(*first, *again)) << entry.name;
    EXPECT_FALSE(same_bits(*first, *other)) << entry.name;
  }
}

TEST(Zoo, LeavesTorchsGeneratorAlone) {
  for (const auto& entry : small_models()) {
    torch::manual_seed(3);
    const auto expected = torch::rand({4});
    torch::manual_seed(3);
    make_model(of(entry));
    EXPECT_TRUE(torch::equal(torch::rand({4}), expected)) << entry.name;
  }
}

struct Moments {
  double mean;
  double sd;
};

Moments moments(const torch::Tensor& tensor) {
  const auto values = tensor.detach().to(torch::kDouble);
  return {values.mean().item<double>(), values.std(false).item<double>()};
}

// Within five standard errors of what the rule says.
void expect_spread(const torch::Tensor& tensor, double sd) {
  const auto found = moments(tensor);
  const double count = static_cast<double>(tensor.numel());
  EXPECT_NEAR(found.mean, 0, 5 * sd / std::sqrt(count));
  EXPECT_NEAR(found.sd, sd, 5 * sd / std::sqrt(2 * count));
}

TEST(Zoo, HeNormalByFanIn) {
  const auto mlp = make_model(of("mlp", {1, 28, 28}))->named_parameters();
  expect_spread(mlp["fc1.weight"], std::sqrt(2.0 / 784));
  expect_spread(mlp["fc2.weight"], std::sqrt(2.0 / 128));
  expect_spread(mlp["fc3.weight"], std::sqrt(2.0 / 128));
  const auto cnn = make_model(of("cnn", {3, 32, 32}))->named_parameters();
  expect_spread(cnn["conv1.weight"], std::sqrt(2.0 / 27));
  expect_spread(cnn["conv2.weight"], std::sqrt(2.0 / 144));
  expect_spread(cnn["fc.weight"], std::sqrt(2.0 / 2048));
  // A normal has kurtosis 3, a uniform 1.8.
  const auto weight = mlp["fc1.weight"].detach().to(torch::kDouble);
  const double fourth =
      (weight / weight.std(false)).pow(4).mean().item<double>();
  EXPECT_NEAR(fourth, 3, 0.1);
}

TEST(Zoo, Resnet20BeginsAsPublished) {
  const auto values =
      make_model(of("resnet20", {3, 32, 32}))->named_parameters();
  expect_spread(values["conv1.weight"], std::sqrt(2.0 / (9 * 16)));
  expect_spread(values["layer2.0.conv1.weight"], std::sqrt(2.0 / (9 * 32)));
  expect_spread(values["layer3.2.conv2.weight"], std::sqrt(2.0 / (9 * 64)));
  // Uniform in +-1/8.
  expect_spread(values["fc.weight"], 0.125 / std::sqrt(3.0));
  EXPECT_LE(values["fc.weight"].abs().max().item<float>(), 0.125F);
  EXPECT_TRUE(torch::equal(values["bn1.weight"], torch::ones({16})));
  EXPECT_TRUE(torch::equal(values["layer3.1.bn2.weight"], torch::ones({64})));
}

TEST(Zoo, BiasesBeginAtZero) {
  for (const auto& entry : small_models()) {
    const auto model = make_model(of(entry));
    for (const auto& item : model->named_parameters()) {
      if (!item.key().ends_with("bias")) continue;
      EXPECT_EQ(item.value().abs().max().item<float>(), 0) << item.key();
    }
  }
}

// Tensors of one model must not repeat each other's numbers.
TEST(Zoo, TensorsDrawTheirOwnNumbers) {
  const auto values =
      make_model(of("resnet20", {3, 32, 32}))->named_parameters();
  EXPECT_FALSE(torch::equal(
      values["layer1.0.conv1.weight"],
      values["layer1.0.conv2.weight"]));
}

// Parameters as views of one flat block, as the arena binds them: same
// outputs and gradients, and the block untouched by forward and backward.
TEST(Zoo, RunsOnParametersBoundToAFlatBlock) {
  for (const auto& entry : small_models()) {
    const auto plain = make_model(of(entry));
    const auto bound = make_model(of(entry));
    const auto block = torch::empty({parameter_count(entry)});
    int64_t at = 0;
    for (auto& parameter : bound->parameters()) {
      const auto view =
          block.narrow(0, at, parameter.numel()).view(parameter.sizes());
      view.copy_(parameter.detach());
      parameter.set_data(view.variable_data());
      at += parameter.numel();
    }
    const auto before = block.clone();
    const auto input = inputs(4, entry);
    const auto target = targets(4, entry);
    for (const auto& model : {plain, bound}) {
      torch::nn::functional::cross_entropy(model->forward(input), target)
          .backward();
    }
    EXPECT_TRUE(torch::equal(block, before)) << entry.name;
    const auto expected = plain->named_parameters();
    for (const auto& item : bound->named_parameters()) {
      EXPECT_TRUE(
          torch::equal(item.value().grad(), expected[item.key()].grad()))
          << entry.name << " " << item.key();
    }
    // A change of the block is a change of the model.
    block.zero_();
    bound->eval();
    EXPECT_EQ(bound->forward(input).abs().max().item<float>(), 0);
  }
}

TEST(Zoo, LeavesItsInputAlone) {
  for (const auto& entry : small_models()) {
    const auto model = make_model(of(entry));
    const auto input = inputs(2, entry);
    const auto before = input.clone();
    model->forward(input).sum().backward();
    EXPECT_TRUE(torch::equal(input, before)) << entry.name;
  }
}

// Zero scales in every bn2 leave the shortcuts alone, so a ResNet20 becomes
// relu(bn1(conv1(x))), thinned out by 4, averaged, in the first 16 of 64
// channels.
TEST(Zoo, Resnet20ShortcutsHaveNoParameters) {
  const auto model = make_model(of("resnet20", {3, 32, 32}));
  model->eval();
  torch::NoGradGuard no_grad;
  const auto values = model->named_parameters();
  for (const auto& item : values) {
    if (item.key().ends_with("bn2.weight")) item.value().zero_();
  }
  const auto input = images(2, {3, 32, 32});
  const auto stem =
      torch::conv2d(input, values["conv1.weight"], {}, 1, 1)
          .div(std::sqrt(1 + 1e-5)) // fresh running statistics: 0 and 1
          .relu();
  using torch::indexing::None;
  using torch::indexing::Slice;
  const Slice fourth(None, None, 4);
  const auto averaged =
      stem.index({Slice(), Slice(), fourth, fourth}).mean({2, 3});
  const auto expected = torch::linear(
      averaged,
      values["fc.weight"].narrow(1, 0, 16),
      values["fc.bias"]);
  EXPECT_TRUE(torch::allclose(model->forward(input), expected, 1e-4, 1e-5));
}

TEST(Zoo, LearnsASmallBatchByHeart) {
  for (const auto& entry : image_models()) {
    const auto model = make_model(of(entry));
    const auto input = inputs(8, entry);
    const auto target = targets(8, entry);
    torch::optim::SGD optimizer(
        model->parameters(),
        torch::optim::SGDOptions(0.05).momentum(0.9));
    double loss = 0;
    for (int step = 0; step < 30; ++step) {
      optimizer.zero_grad();
      auto value =
          torch::nn::functional::cross_entropy(model->forward(input), target);
      value.backward();
      optimizer.step();
      loss = value.item<double>();
    }
    EXPECT_LT(loss, 0.1) << entry.name;
  }
}

std::string refusal(const ModelOptions& options) {
  try {
    make_model(options);
  } catch (const ConfigError& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

TEST(Zoo, RefusesWhatItCannotMake) {
  const auto says = [](const std::string& text, const std::string& words) {
    EXPECT_NE(text.find(words), std::string::npos) << text;
  };
  says(refusal(of("resnet2", {3, 32, 32})), "'resnet20'");
  says(refusal(of("resnet20", {3, 7, 32})), "at least 8 rows");
  says(refusal(of("resnet20", {784})), "[784]");
  says(refusal(of("cnn", {1, 28, 3})), "[1, 28, 3]");
  says(refusal(of("cnn", {0, 28, 28})), "channels, rows, columns");
  says(refusal(of("mlp", {})), "any shape");
  says(refusal(of("mlp", {1, -28, 28})), "[1, -28, 28]");
  auto none = of("mlp", {1, 28, 28});
  none.classes = 0;
  says(refusal(none), "0 classes");
  auto text = of("mlp", {64});
  text.tokens = true;
  says(refusal(text), "'mlp' is for images, and the data are text");
  says(refusal(text), "gpt-mini");
  says(refusal(of("gpt-mini", {1, 28, 28})), "models for them: mlp, cnn");
  text.name = "gpt-mini";
  text.sample_shape = {8, 8};
  says(refusal(text), "[context]");
  text.sample_shape = {0};
  says(refusal(text), "[0]");
  text.sample_shape = {8};
  text.dropout = 1;
  says(refusal(text), "at least 0 and below 1, got 1");
  auto wet = of("mlp", {1, 28, 28});
  wet.dropout = 0.1;
  says(refusal(wet), "expected 0, as it has none, got 0.1");
}

} // namespace
} // namespace grapevine::model
