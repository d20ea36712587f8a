// A language model on text: what differs from images, from the batch to the
// result.
#include "base/error.h"
#include "data/loader.h"
#include "model/zoo.h"
#include "record/record_reader.h"
#include "record/run_directory.h"
#include "run/folder.h"
#include "run/run_config.h"
#include "run/trainer.h"
#include "run/worker.h"

#include <gtest/gtest.h>
#include <torch/torch.h>
#include <nlohmann/json.hpp>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>

namespace grapevine::run {
namespace {

spec::Spec text_spec(const Folder& folder) {
  write_text(folder, 2000);
  spec::Spec spec;
  spec.model = "gpt-mini";
  spec.data = "text";
  spec.data_dir = folder / "";
  spec.context = 8;
  spec.n = 3;
  spec.batch = 4;
  spec.steps = 4;
  spec.lr = 0.05;
  spec.eval_samples = 10;
  spec.threads = 1;
  spec.out = folder / "run";
  return spec;
}

// The loss and its gradient are those of the mean over all positions.
TEST(TextRun, GradientIsThatOfTheMeanOverPositions) {
  use_one_torch_thread();
  const Folder folder;
  const run::RunConfig config = make_run_config(text_spec(folder), {});
  const WorkerOptions options = config.worker_options();
  EXPECT_TRUE(options.tokens);
  EXPECT_EQ(options.sample_shape, std::vector<int64_t>{8});
  Worker worker(options);
  data::Batch batch;
  config.dataset.train->gather(std::vector<int64_t>{5, 0, 7}, batch);
  record::Spans spans;
  const double loss = worker.compute_gradient(batch, {}, spans);

  const auto model = model::make_model(
      {.name = options.model,
       .sample_shape = options.sample_shape,
       .classes = options.classes,
       .tokens = true,
       .seed = options.seed});
  const auto input =
      torch::from_blob(batch.tokens.data(), {3, 8}, torch::kInt64);
  const auto logits = model->forward(input).log_softmax(1);
  torch::Tensor sum = torch::zeros({});
  for (int64_t row = 0; row < 24; ++row)
    sum = sum - logits[row][batch.labels[row]];
  (sum / 24).backward();
  EXPECT_NEAR(loss, sum.item<double>() / 24, 1e-6);
  const auto parameters = model->parameters();
  const auto& tensors = worker.arena().layout().tensors();
  ASSERT_EQ(parameters.size(), tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    const torch::Tensor mine = torch::from_blob(
        worker.arena().gradients().data() + tensors[i].offset,
        tensors[i].shape);
    EXPECT_TRUE(torch::allclose(mine, parameters[i].grad(), 1e-4, 1e-7))
        << tensors[i].name;
  }
}

// In batches or at once, and a count over positions.
TEST(TextRun, ScoreCountsPositions) {
  use_one_torch_thread();
  const Folder folder;
  spec::Spec spec = text_spec(folder);
  spec.context = 1;
  const run::RunConfig config = make_run_config(spec, {});
  const Worker worker(config.worker_options());
  std::vector<int64_t> indices(config.dataset.train->size());
  std::iota(indices.begin(), indices.end(), 0);
  const EvaluationSet set(*config.dataset.train, indices, {});
  EXPECT_EQ(set.samples(), 1799);
  EXPECT_EQ(set.parts(), 4);
  EXPECT_EQ(worker.score(set).labels, 1799);
  spec.context = 100;
  const run::RunConfig longer = make_run_config(spec, {});
  const EvaluationSet windows(
      *longer.dataset.train,
      std::vector<int64_t>{3, 1},
      {});
  EXPECT_EQ(windows.samples(), 2);
  const Worker reader(longer.worker_options());
  const Score score = reader.score(windows);
  EXPECT_EQ(score.labels, 200);
  EXPECT_NEAR(score.loss / 200, std::log(26.0), 1);
  EXPECT_LE(score.correct, 200);
}

std::vector<nlohmann::json> evaluations_of(const TrainResult& result) {
  std::vector<nlohmann::json> evaluations;
  record::read_run_records(
      record::RunDirectory(result.run),
      [&](const nlohmann::json& line) {
        if (line["type"] == "evaluation") evaluations.push_back(line);
      });
  return evaluations;
}

TEST(TextRun, PerplexityIsInRecordsAndResult) {
  const Folder folder;
  const TrainResult result = train(text_spec(folder), {});
  ASSERT_TRUE(result.test_perplexity);
  ASSERT_TRUE(result.averaged_model_perplexity);
  const auto evaluations = evaluations_of(result);
  ASSERT_EQ(evaluations.size(), 1U);
  const nlohmann::json& last = evaluations.back();
  double sum = 0;
  ASSERT_EQ(last["test_perplexity"].size(), 3U);
  for (size_t i = 0; i < 3; ++i) {
    const double perplexity = last["test_perplexity"][i];
    EXPECT_DOUBLE_EQ(perplexity, std::exp(last["test_loss"][i].get<double>()));
    sum += perplexity;
  }
  EXPECT_DOUBLE_EQ(*result.test_perplexity, sum / 3);
  EXPECT_DOUBLE_EQ(
      *result.averaged_model_perplexity,
      std::exp(last["averaged_model_loss"].get<double>()));
  EXPECT_LT(*result.test_perplexity, 26);
  const nlohmann::json json = to_json(result);
  EXPECT_EQ(json["test_perplexity"], *result.test_perplexity);
  const TrainResult stored = train(text_spec(folder), {});
  EXPECT_TRUE(stored.was_stored);
  EXPECT_EQ(to_json(stored), json);
  const TrainResult again = evaluate_run(result.run, false, {});
  EXPECT_DOUBLE_EQ(*again.test_perplexity, *result.test_perplexity);
}

TEST(TextRun, ImagesHaveNoPerplexity) {
  const Folder folder;
  spec::Spec spec = text_spec(folder);
  spec.model = "mlp";
  spec.data = "synthetic";
  spec.data_dir = "";
  spec.synthetic_samples = 96;
  const TrainResult result = train(spec, {});
  EXPECT_FALSE(result.test_perplexity);
  EXPECT_FALSE(to_json(result).contains("test_perplexity"));
  EXPECT_FALSE(evaluations_of(result).back().contains("test_perplexity"));
}

// Chance in the model is addressed: no thread, and no interruption, changes
// the masks; the seed, and dropout itself, do.
TEST(TextRun, DropoutGivesTheSameBitsOverThreadsAndAttempts) {
  const Folder folder;
  spec::Spec spec = text_spec(folder);
  const TrainResult plain = train(spec, {});
  spec.dropout = 0.2;
  spec.out = folder / "whole";
  const TrainResult whole = train(spec, {});
  EXPECT_NE(whole.parameters_sha256, plain.parameters_sha256);

  spec.threads = 3;
  spec.out = folder / "threads";
  const TrainResult threads = train(spec, {});
  EXPECT_EQ(threads.parameters_sha256, whole.parameters_sha256);

  spec.out = folder / "parts";
  const std::atomic<bool> interrupt = true;
  TrainHooks hooks;
  hooks.interrupt = &interrupt;
  EXPECT_EQ(train(spec, {}, hooks).outcome, Outcome::kInterrupted);
  EXPECT_EQ(train(spec, {}).parameters_sha256, whole.parameters_sha256);
}

TEST(TextRun, ModelsForImagesAreRefused) {
  const Folder folder;
  spec::Spec spec = text_spec(folder);
  spec.model = "mlp";
  EXPECT_THROW(train(spec, {}), ConfigError);
  EXPECT_FALSE(std::filesystem::exists(spec.out));
  spec.data = "synthetic";
  spec.data_dir = "";
  spec.model = "gpt-mini";
  EXPECT_THROW(train(spec, {}), ConfigError);
  spec.model = "mlp";
  spec.dropout = 0.1;
  EXPECT_THROW(train(spec, {}), ConfigError);
}

} // namespace
} // namespace grapevine::run
