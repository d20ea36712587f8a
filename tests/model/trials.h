// Every model of the zoo on samples so small that its gradients can be taken
// by differences and twenty steps take a moment. A new model gets a line in
// trials(); a test fails for one that has none.
#pragma once

#include "base/random.h"
#include "model/gpt.h"
#include "model/zoo.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace grapevine::model {

// What a batch looks like.
enum class Sample {
  kImages, // numbers; a label each
  kTokens, // a label for each token
};

struct Trial {
  Sample sample = Sample::kImages;
  std::vector<int64_t> shape;
  int classes = 5;
  int64_t batch = 3;
  double dropout = 0;
  double lr = 0.02; // of the golden curve
  // The same code in a smaller size, for models of many millions of
  // parameters; without one, the model by its name.
  std::function<std::shared_ptr<Model>(const ModelOptions&)> smaller = {};
};

inline const std::map<std::string, Trial>& trials() {
  static const std::map<std::string, Trial> table = {
      {"mlp", {.shape = {1, 3, 4}}},
      {"cnn", {.shape = {2, 8, 9}, .lr = 0.01}},
      {"resnet20", {.shape = {3, 8, 8}, .batch = 4}},
      {"gpt-nano", {.sample = Sample::kTokens, .shape = {6}, .dropout = 0.2}},
      {"gpt-mini", {.sample = Sample::kTokens, .shape = {6}, .dropout = 0.2}},
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
      .seed = 3,
      .dropout = trial.dropout,
      .batch = trial.batch};
  return trial.smaller ? trial.smaller(options) : make_model(options);
}

struct TrialBatch {
  torch::Tensor input; // float or int64
  torch::Tensor labels;
};

// The trial's batch number `index`.
inline TrialBatch make_batch(const Trial& trial, uint64_t index) {
  Random random(7, Purpose::kTest, index);
  std::vector<int64_t> sizes = {trial.batch};
  sizes.insert(sizes.end(), trial.shape.begin(), trial.shape.end());
  const bool tokens = trial.sample == Sample::kTokens;
  TrialBatch batch;
  batch.input = torch::empty(sizes, tokens ? torch::kLong : torch::kFloat);
  const int64_t elements = batch.input.numel();
  batch.labels = torch::empty({tokens ? elements : trial.batch}, torch::kLong);
  const auto any_class = [&] {
    return static_cast<int64_t>(random.below(trial.classes));
  };
  for (int64_t i = 0; i < elements; ++i) {
    if (tokens) {
      batch.input.data_ptr<int64_t>()[i] = any_class();
    } else {
      batch.input.data_ptr<float>()[i] = static_cast<float>(random.normal());
    }
  }
  for (int64_t i = 0; i < batch.labels.numel(); ++i)
    batch.labels.data_ptr<int64_t>()[i] = any_class();
  return batch;
}

// In training, with the chance of this step.
inline torch::Tensor
trial_loss(Model& model, const TrialBatch& batch, int64_t step) {
  model.set_pass({.chance = {.seed = 3, .rank = 1, .step = step}});
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
