#include "model/gpt_reference.h"
#include "model/models.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

namespace grapevine::model {
namespace {

constexpr GptSize kSmall = {.layers = 2, .heads = 2, .width = 6};

ModelOptions small_options(double dropout = 0) {
  return {
      .name = "gpt-mini",
      .sample_shape = {7},
      .classes = 5,
      .tokens = true,
      .seed = 2,
      .dropout = dropout};
}

// In double, with values large enough that everything matters.
std::shared_ptr<Model> small_model(double dropout = 0) {
  auto model = make_gpt(small_options(dropout), kSmall);
  model->to(torch::kDouble);
  const torch::NoGradGuard no_grad;
  const auto generator = at::detail::createCPUGenerator(5);
  for (auto& parameter : model->parameters()) {
    parameter.add_(
        0.3 * torch::randn(parameter.sizes(), generator, torch::kDouble));
  }
  return model;
}

torch::Tensor tokens(int64_t samples, int64_t positions, int64_t classes) {
  const auto generator = at::detail::createCPUGenerator(7);
  return torch::randint(classes, {samples, positions}, generator, torch::kLong);
}

TEST(Gpt, IsThePlainLoops) {
  const auto model = small_model();
  const GptReference reference(*model, kSmall);
  for (const int64_t positions : {1, 4, 7}) { // of a context of 7
    const auto input = tokens(3, positions, 5);
    const auto logits = model->forward(input).detach();
    ASSERT_EQ(logits.sizes(), (std::vector<int64_t>{3 * positions, 5}));
    for (int64_t sample = 0; sample < 3; ++sample) {
      const auto* data = input[sample].data_ptr<int64_t>();
      const auto expected = reference.logits({data, data + positions});
      for (int64_t t = 0; t < positions; ++t) {
        for (int64_t word = 0; word < 5; ++word) {
          EXPECT_NEAR(
              logits[sample * positions + t][word].item<double>(),
              expected[t][word],
              1e-12);
        }
      }
    }
  }
}

TEST(Gpt, SeesNothingOfWhatFollows) {
  const auto model = small_model();
  const auto input = tokens(1, 7, 5);
  const auto before = model->forward(input);
  auto changed = input.clone();
  changed[0][4] = (changed[0][4] + 1) % 5;
  const auto after = model->forward(changed);
  const auto same = before.eq(after).all(1);
  EXPECT_TRUE(same.narrow(0, 0, 4).all().item<bool>());
  EXPECT_FALSE(same.narrow(0, 4, 3).any().item<bool>());
}

TEST(Gpt, DropoutIsForTraining) {
  const auto model = small_model(0.3);
  const auto plain = small_model();
  const auto input = tokens(2, 7, 5);
  const auto trained = model->forward(input);
  EXPECT_FALSE(torch::equal(trained, plain->forward(input)));
  EXPECT_TRUE(torch::equal(trained, model->forward(input)));
  model->set_pass({.chance = {.step = 1}});
  EXPECT_FALSE(torch::equal(trained, model->forward(input)));
  model->eval();
  EXPECT_TRUE(torch::equal(model->forward(input), plain->forward(input)));
}

TEST(Gpt, NamesAreThoseOfGpt2) {
  std::vector<std::string> expected = {"wte.weight", "wpe.weight"};
  for (const std::string block : {"h.0.", "h.1."}) {
    for (const std::string layer :
         {"ln_1",
          "attn.c_attn",
          "attn.c_proj",
          "ln_2",
          "mlp.c_fc",
          "mlp.c_proj"}) {
      expected.push_back(block + layer + ".weight");
      expected.push_back(block + layer + ".bias");
    }
  }
  expected.insert(expected.end(), {"ln_f.weight", "ln_f.bias"});
  std::vector<std::string> names;
  const auto model = make_gpt(small_options(), kSmall);
  for (const auto& item : model->named_parameters())
    names.push_back(item.key());
  EXPECT_EQ(names, expected);
  EXPECT_TRUE(model->named_buffers().is_empty());
}

// The published small GPT-2 is one line away: its count, with the weights of
// the embedding used again for the logits.
TEST(Gpt, CountsOfTheFamily) {
  const auto count = [](const ModelOptions& options, const GptSize& size) {
    int64_t sum = 0;
    for (const auto& parameter : make_gpt(options, size)->parameters())
      sum += parameter.numel();
    return sum;
  };
  auto options = small_options();
  // 5 x 6 + 7 x 6 + 2 (2 x 12 + 126 + 42 + 168 + 150) + 12
  EXPECT_EQ(count(options, kSmall), 1104);
  options.sample_shape = {64};
  options.classes = 65;
  EXPECT_EQ(
      count(options, {.layers = 1, .heads = 4, .width = 128}),
      413312 - 198272);
}

// Within five standard errors.
void expect_spread(const torch::Tensor& tensor, double sd) {
  const auto values = tensor.detach().to(torch::kDouble);
  const auto count = static_cast<double>(values.numel());
  EXPECT_NEAR(values.mean().item<double>(), 0, 5 * sd / std::sqrt(count));
  EXPECT_NEAR(
      values.std(false).item<double>(),
      sd,
      5 * sd / std::sqrt(2 * count));
}

ModelOptions mini_options(double dropout = 0) {
  return {
      .name = "gpt-mini",
      .sample_shape = {64},
      .classes = 65,
      .tokens = true,
      .seed = 1,
      .dropout = dropout};
}

TEST(Gpt, BeginsAsPublished) {
  const auto model = make_model(mini_options());
  const auto values = model->named_parameters();
  for (const std::string name :
       {"wte.weight",
        "wpe.weight",
        "h.0.attn.c_attn.weight",
        "h.1.mlp.c_fc.weight"}) {
    expect_spread(values[name], 0.02);
  }
  for (const std::string name :
       {"h.0.attn.c_proj.weight",
        "h.1.attn.c_proj.weight",
        "h.0.mlp.c_proj.weight",
        "h.1.mlp.c_proj.weight"}) {
    expect_spread(values[name], 0.01); // 0.02 / sqrt(2 * 2 layers)
  }
  EXPECT_TRUE(torch::equal(values["ln_f.weight"], torch::ones({128})));
  // Knows nothing yet: the loss is that of a uniform guess.
  const auto input = tokens(4, 64, 65);
  const auto loss = torch::nn::functional::cross_entropy(
      model->forward(input),
      (input + 1).remainder(65).flatten());
  EXPECT_NEAR(loss.item<double>(), std::log(65.0), 0.1);
}

TEST(Gpt, LearnsASmallBatchByHeart) {
  const auto model = make_model(mini_options());
  const auto text = tokens(8, 33, 65);
  torch::optim::Adam optimizer(
      model->parameters(),
      torch::optim::AdamOptions(3e-3));
  double loss = 0;
  for (int step = 0; step < 60; ++step) {
    optimizer.zero_grad();
    auto value = torch::nn::functional::cross_entropy(
        model->forward(text.narrow(1, 0, 32)),
        text.narrow(1, 1, 32).flatten());
    value.backward();
    optimizer.step();
    loss = value.item<double>();
  }
  EXPECT_LT(loss, 0.1);
}

// Twenty steps of SGD on a text with a pattern.
std::vector<double> loss_curve(double dropout) {
  const auto model = make_model(mini_options(dropout));
  torch::optim::SGD optimizer(
      model->parameters(),
      torch::optim::SGDOptions(0.02).momentum(0.9));
  std::vector<double> losses;
  for (int64_t step = 0; step < 20; ++step) {
    const auto text = torch::arange(step * 260, (step + 1) * 260, torch::kLong);
    const auto pattern = (text * text + 3 * text).remainder(65).view({4, 65});
    model->set_pass({.chance = {.seed = 1, .step = step}});
    optimizer.zero_grad();
    auto loss = torch::nn::functional::cross_entropy(
        model->forward(pattern.narrow(1, 0, 64).contiguous()),
        pattern.narrow(1, 1, 64).flatten());
    loss.backward();
    optimizer.step();
    losses.push_back(loss.item<double>());
  }
  return losses;
}

void expect_curve(
    const std::vector<double>& found,
    const std::vector<double>& golden) {
  ASSERT_EQ(found.size(), golden.size());
  for (size_t i = 0; i < golden.size(); ++i)
    EXPECT_NEAR(found[i], golden[i], 1e-4) << "step " << i;
}

class GoldenGptMini : public testing::Test {
 protected:
  GoldenGptMini() { at::set_num_threads(1); }
  ~GoldenGptMini() override { at::set_num_threads(threads_); }

 private:
  int threads_ = at::get_num_threads();
};

TEST_F(GoldenGptMini, LossCurve) {
  const auto found = loss_curve(0);
  EXPECT_EQ(found, loss_curve(0));
  // clang-format off
  expect_curve(
      found,
      {
        4.230877, 3.834852, 3.579416, 3.388362, 3.190310, 2.953063,
        2.629330, 2.323616, 2.123695, 1.903105, 1.718262, 1.546400,
        1.379297, 1.211929, 1.045771, 0.891544, 0.749336, 0.624458,
        0.518553, 0.425846});
  // clang-format on
}

TEST_F(GoldenGptMini, LossCurveWithDropout) {
  const auto found = loss_curve(0.1);
  EXPECT_EQ(found, loss_curve(0.1));
  // clang-format off
  expect_curve(
      found,
      {
        4.226673, 3.890815, 3.620432, 3.440165, 3.267086, 3.063073,
        2.823714, 2.505421, 2.268645, 2.090978, 1.897145, 1.737216,
        1.600911, 1.474518, 1.335657, 1.194783, 1.056392, 0.934787,
        0.828497, 0.719922});
  // clang-format on
}

} // namespace
} // namespace grapevine::model
