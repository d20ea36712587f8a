#include "model/models.h"

#include "model/gradient_check.h"

namespace grapevine::model {
namespace {

constexpr LstmSize kSmall = {
    .layers = 2,
    .width = 6,
    .tied = false,
    .initial = 0};

ModelOptions small_options(int64_t batch = 0, double dropout = 0) {
  return {
      .name = "lstm",
      .sample_shape = {7},
      .classes = 9,
      .tokens = true,
      .seed = 2,
      .dropout = dropout,
      .batch = batch};
}

std::shared_ptr<Model>
small_model(int64_t batch = 0, double dropout = 0, bool tied = false) {
  LstmSize size = kSmall;
  size.tied = tied;
  auto model = make_lstm(small_options(batch, dropout), size);
  make_lively(*model);
  return model;
}

torch::Tensor tokens(int64_t samples, int64_t positions, int64_t classes = 9) {
  const auto generator = at::detail::createCPUGenerator(7);
  return torch::randint(classes, {samples, positions}, generator, torch::kLong);
}

torch::Tensor loss_of(const torch::Tensor& logits) {
  const auto labels =
      torch::arange(logits.size(0), torch::kLong).remainder(logits.size(1));
  return torch::nn::functional::cross_entropy(logits, labels);
}

torch::nn::LSTM torchs_lstm() {
  return torch::nn::LSTM(
      torch::nn::LSTMOptions(6, 6).num_layers(2).batch_first(true));
}

TEST(Lstm, IsTorchsOwn) {
  for (const bool tied : {false, true}) {
    const auto model = small_model(0, 0, tied);
    const auto values = model->named_parameters();
    auto rnn = torchs_lstm();
    rnn->to(torch::kDouble);
    {
      const torch::NoGradGuard no_grad;
      for (auto& item : rnn->named_parameters())
        item.value().copy_(values["rnn." + item.key()]);
    }
    const auto input = tokens(3, 7);
    const auto embedded = torch::embedding(values["encoder.weight"], input);
    const auto hidden = std::get<0>(rnn->forward(embedded)).reshape({21, 6});
    const auto expected = torch::linear(
        hidden,
        values[tied ? "encoder.weight" : "decoder.weight"],
        values["decoder.bias"]);
    EXPECT_TRUE(torch::allclose(model->forward(input), expected, 1e-12, 1e-12));
  }
}

TEST(Lstm, NamesAreThoseOfPyTorch) {
  std::vector<std::string> expected = {"encoder.weight"};
  for (const auto& item : torchs_lstm()->named_parameters())
    expected.push_back("rnn." + item.key());
  expected.insert(expected.end(), {"decoder.weight", "decoder.bias"});
  std::vector<std::string> names;
  for (const auto& item : small_model()->named_parameters())
    names.push_back(item.key());
  EXPECT_EQ(names, expected);
  const auto buffers = small_model(4)->named_buffers();
  EXPECT_EQ(buffers.size(), 2);
  EXPECT_EQ(buffers["state_h"].sizes(), (std::vector<int64_t>{2, 4, 6}));
  EXPECT_TRUE(small_model()->named_buffers().is_empty());
}

// Windows that go on with each other are one long window.
TEST(Lstm, CarriesItsStateAlong) {
  const auto text = tokens(4, 12);
  const auto whole = small_model()->forward(text).view({4, 12, 9});
  const auto model = small_model(4);
  for (int64_t step = 0; step < 3; ++step) {
    model->set_pass({.chance = {}, .begins_stream = step == 0});
    const auto part = model->forward(text.narrow(1, 4 * step, 4));
    const auto expected = whole.narrow(1, 4 * step, 4).reshape({16, 9});
    EXPECT_TRUE(torch::allclose(part, expected, 1e-12, 1e-12)) << step;
    loss_of(part).backward(); // the buffers have moved on by then
  }
  model->set_pass({.chance = {}, .begins_stream = true});
  EXPECT_TRUE(torch::allclose(
      model->forward(text.narrow(1, 0, 4)),
      whole.narrow(1, 0, 4).reshape({16, 9})));
}

TEST(Lstm, EveryRowHasItsOwnState) {
  const auto text = tokens(4, 8);
  const auto whole = small_model()->forward(text).view({4, 8, 9});
  const auto model = small_model(4);
  for (const int64_t step : {0, 1}) {
    for (const int64_t first : {0, 1}) { // rows 0; 1 to 3
      const int64_t rows = first == 0 ? 1 : 3;
      model->set_pass(
          {.chance = {}, .first_row = first, .begins_stream = step == 0});
      const auto part =
          model->forward(text.narrow(0, first, rows).narrow(1, 4 * step, 4));
      const auto expected = whole.narrow(0, first, rows).narrow(1, 4 * step, 4);
      EXPECT_TRUE(torch::allclose(part, expected.reshape({-1, 9})));
    }
  }
}

TEST(Lstm, EvaluationLeavesTheBuffersAlone) {
  const auto text = tokens(4, 8);
  const auto model = small_model(4);
  model->forward(text);
  const auto before = model->named_buffers()["state_h"].clone();
  EXPECT_GT(before.abs().max().item<double>(), 0);
  model->eval();
  const auto whole = model->forward(text).view({4, 8, 9});
  std::vector<torch::Tensor> carried;
  for (const int64_t step : {0, 1}) {
    const auto part = model->forward_from(text.narrow(1, 4 * step, 4), carried);
    const auto expected = whole.narrow(1, 4 * step, 4).reshape({16, 9});
    EXPECT_TRUE(torch::allclose(part, expected, 1e-12, 1e-12));
  }
  EXPECT_TRUE(torch::equal(model->named_buffers()["state_h"], before));
}

class LstmGradients : public testing::TestWithParam<double> {};

// With a state that was carried in, which has no gradient.
TEST_P(LstmGradients, AreThoseOfFiniteDifferences) {
  for (const bool tied : {false, true}) {
    const auto model = small_model(3, GetParam(), tied);
    model->forward(tokens(3, 5));
    const auto h = model->named_buffers()["state_h"].clone();
    const auto c = model->named_buffers()["state_c"].clone();
    model->set_pass(
        {.chance = {.seed = 1, .rank = 2, .step = 3}, .begins_stream = false});
    expect_gradients(*model, [&] {
      model->named_buffers()["state_h"].copy_(h);
      model->named_buffers()["state_c"].copy_(c);
      return loss_of(model->forward(tokens(3, 7)));
    });
  }
}

INSTANTIATE_TEST_SUITE_P(
    Dropout,
    LstmGradients,
    testing::Values(0.0, 0.3),
    [](const auto& info) { return info.param > 0 ? "On" : "Off"; });

TEST(Lstm, DropoutIsForTraining) {
  const auto model = small_model(0, 0.3);
  const auto plain = small_model();
  const auto input = tokens(2, 7);
  const auto trained = model->forward(input);
  EXPECT_FALSE(torch::equal(trained, plain->forward(input)));
  EXPECT_TRUE(torch::equal(trained, model->forward(input)));
  model->set_pass({.chance = {.step = 1}});
  EXPECT_FALSE(torch::equal(trained, model->forward(input)));
  model->eval();
  EXPECT_TRUE(torch::equal(model->forward(input), plain->forward(input)));
}

double largest(const torch::Tensor& tensor) {
  return tensor.abs().max().item<double>();
}

TEST(Lstm, BeginsAsPublished) {
  auto options = small_options();
  options.classes = 500;
  const auto small = make_lstm(options, kLstmSmall)->named_parameters();
  EXPECT_NEAR(largest(small["encoder.weight"]), 0.1, 1e-3);
  EXPECT_NEAR(largest(small["decoder.weight"]), 0.1, 1e-3);
  EXPECT_EQ(largest(small["decoder.bias"]), 0);
  const double bound = 1 / std::sqrt(200.0);
  EXPECT_NEAR(largest(small["rnn.weight_hh_l1"]), bound, 1e-3);
  EXPECT_NEAR(largest(small["rnn.bias_ih_l0"]), bound, 1e-3);
  const auto large = make_lstm(options, kLstmLarge)->named_parameters();
  EXPECT_NEAR(largest(large["encoder.weight"]), 0.05, 1e-4);
  EXPECT_NEAR(largest(large["rnn.weight_ih_l0"]), 0.05, 1e-4);
}

} // namespace
} // namespace grapevine::model
