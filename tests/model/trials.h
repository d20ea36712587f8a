// Every model of the zoo on samples so small that its gradients can be taken
// by differences and twenty steps take a moment. A new model gets a line in
// trials(); a test fails for one that has none.
#pragma once

#include "base/random.h"
#include "base/sentence_tokens.h"
#include "model/models.h"
#include "model/pairs.h"
#include "model/zoo.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <map>
#include <string>
#include <vector>

namespace grapevine::model {

// What a batch looks like.
enum class Sample {
  kImages, // numbers; a label each
  kTokens, // a label for each token
  kPairs,  // rows of base/sentence_tokens.h
};

struct Trial {
  Sample sample = Sample::kImages;
  std::vector<int64_t> shape;
  int classes = 5;
  int64_t batch = 3;
  double dropout = 0;
  // Of the golden curve: small, so that it does not wander.
  double lr = 0.02;
  // The same code in a smaller size, for models of many millions of
  // parameters; without one, the model by its name.
  MakeModel smaller = {};
};

inline Trial images(std::vector<int64_t> shape, int64_t batch, double lr) {
  return {.shape = std::move(shape), .batch = batch, .lr = lr};
}

inline Trial tokens(double lr, MakeModel smaller = {}) {
  return {
      .sample = Sample::kTokens,
      .shape = {6},
      .dropout = 0.2,
      .lr = lr,
      .smaller = std::move(smaller)};
}

inline Trial pairs(double lr, const TransformerSize* smaller = nullptr) {
  Trial trial = {
      .sample = Sample::kPairs,
      .shape = {20},
      .classes = 9,
      .dropout = 0.2,
      .lr = lr};
  if (smaller != nullptr) {
    trial.smaller = [smaller](const ModelOptions& options) {
      return make_transformer(options, *smaller);
    };
  }
  return trial;
}

inline const std::map<std::string, Trial>& trials() {
  static const TransformerSize narrow = {
      .layers = 2,
      .heads = 2,
      .width = 16,
      .inner = 24};
  static const TransformerSize wide = {
      .layers = 1,
      .heads = 4,
      .width = 32,
      .inner = 64};
  static const std::map<std::string, Trial> table = {
      {"mlp", images({1, 3, 4}, 3, 0.02)},
      {"cnn", images({2, 8, 9}, 3, 0.01)},
      {"resnet8", images({3, 8, 8}, 4, 0.01)},
      {"resnet20", images({3, 8, 8}, 4, 0.005)},
      {"resnet32", images({3, 8, 8}, 4, 0.002)},
      {"resnet56", images({3, 8, 8}, 4, 0.0005)},
      {"resnet18", images({3, 8, 8}, 4, 0.0005)},
      {"resnet18-imagenet", images({3, 32, 32}, 4, 0.0005)},
      {"resnet50", images({3, 32, 32}, 4, 0.0005)},
      {"densenet100", images({3, 8, 8}, 3, 0.001)},
      {"densenet100-plain", images({3, 8, 8}, 3, 0.001)},
      {"gpt-nano", tokens(0.02)},
      {"gpt-mini", tokens(0.02)},
      {"gpt2-small",
       tokens(
           0.1,
           [](const ModelOptions& options) {
             return make_gpt(options, {.layers = 3, .heads = 3, .width = 24});
           })},
      {"lstm", tokens(0.5)},
      {"lstm-tied", tokens(0.5)},
      {"lstm-large", tokens(0.5)},
      {"transformer-tiny", pairs(0.01)},
      {"transformer-base", pairs(0.05, &narrow)},
      {"transformer-big", pairs(0.05, &wide)},
  };
  return table;
}

// Throws std::out_of_range for a model without a line.
inline const Trial& trial_of(const std::string& name) {
  return trials().at(name);
}

inline std::shared_ptr<Model> make_trial(const std::string& name) {
  const Trial& trial = trial_of(name);
  const ModelOptions options = {
      .name = name,
      .sample_shape = trial.shape,
      .classes = trial.classes,
      .tokens = trial.sample != Sample::kImages,
      .pairs = trial.sample == Sample::kPairs,
      .seed = 3,
      .dropout = trial.dropout,
      .batch = trial.batch};
  return trial.smaller ? trial.smaller(options) : make_model(options);
}

struct TrialBatch {
  torch::Tensor input; // float or int64
  torch::Tensor labels;
};

// `sizes` numbers below `bound`, from `least` on.
inline torch::Tensor
draw_tokens(torch::IntArrayRef sizes, int least, int bound, Random& random) {
  auto drawn = torch::empty(sizes, torch::kLong);
  int64_t* values = drawn.data_ptr<int64_t>();
  for (int64_t i = 0; i < drawn.numel(); ++i)
    values[i] = least + static_cast<int64_t>(random.below(bound - least));
  return drawn;
}

// Sentences of one to five words, and of none.
inline TrialBatch make_pairs(const Trial& trial, Random& random) {
  constexpr int64_t kLongest = 5;
  constexpr int64_t kNoLabel = -100; // torch's ignore_index
  const auto sentence = [&](int64_t words) {
    const auto drawn = draw_tokens({words}, kEos + 1, trial.classes, random);
    const int64_t* begin = drawn.data_ptr<int64_t>();
    return Sentence(begin, begin + words);
  };
  const auto length = [&] {
    return static_cast<int64_t>(random.below(kLongest));
  };
  std::vector<SentencePair> rows = {{sentence(kLongest), sentence(kLongest)}};
  while (static_cast<int64_t>(rows.size()) < trial.batch)
    rows.push_back({sentence(length()), sentence(length())});
  std::vector<int64_t> labels;
  for (const auto& row : rows) {
    Sentence target = row.target;
    target.push_back(kEos);
    target.resize(kLongest + 1, kNoLabel);
    labels.insert(labels.end(), target.begin(), target.end());
  }
  return {rows_of(rows), torch::tensor(labels)};
}

// The trial's batch number `index`.
inline TrialBatch make_batch(const Trial& trial, uint64_t index) {
  Random random(7, Purpose::kTest, index);
  if (trial.sample == Sample::kPairs) return make_pairs(trial, random);
  std::vector<int64_t> sizes = {trial.batch};
  sizes.insert(sizes.end(), trial.shape.begin(), trial.shape.end());
  if (trial.sample == Sample::kTokens) {
    const int64_t labels = trial.batch * trial.shape[0];
    return {
        draw_tokens(sizes, 0, trial.classes, random),
        draw_tokens({labels}, 0, trial.classes, random)};
  }
  auto input = torch::empty(sizes);
  for (int64_t i = 0; i < input.numel(); ++i)
    input.data_ptr<float>()[i] = static_cast<float>(random.normal());
  return {input, draw_tokens({trial.batch}, 0, trial.classes, random)};
}

// In training, with the chance of this step. begins: recurrent models start
// from zeros, not from what the pass before has left.
inline torch::Tensor trial_loss(
    Model& model,
    const TrialBatch& batch,
    int64_t step,
    bool begins = true) {
  model.set_pass(
      {.chance = {.seed = 3, .rank = 1, .step = step},
       .begins_stream = begins});
  return torch::nll_loss(
      model.forward(batch.input).log_softmax(1),
      batch.labels);
}

// The names of the zoo's models, for tests that are made once a model.
inline std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const auto& entry : model_table())
    names.push_back(entry.name);
  return names;
}

// As part of a test's name, which has no room for dashes.
inline std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name) {
    if (c == '-') c = '_';
  }
  return name;
}

} // namespace grapevine::model
