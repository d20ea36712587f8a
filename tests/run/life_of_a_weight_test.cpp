// docs/architecture.md, stop by stop: one weight from the sample that touches
// it to the number in the run directory.
#include "algo/lr_schedule.h"
#include "data/loader.h"
#include "record/checkpoint.h"
#include "record/record_reader.h"
#include "record/run_directory.h"
#include "run/folder.h"
#include "run/run_config.h"
#include "run/tiny_spec.h"
#include "run/trainer.h"
#include "run/worker.h"
#include "tensor/layout.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>

namespace grapevine::run {
namespace {

TEST(LifeOfAWeight, FromTheSampleToTheRunDirectory) {
  const Folder folder;
  const spec::Spec spec = tiny_spec(folder);
  const run::RunConfig config = make_run_config(spec, {});

  // 1. The samples: three workers, disjoint batches of one permutation.
  std::vector<int64_t> seen;
  for (int worker = 0; worker < 3; ++worker) {
    for (const int64_t index : config.sharder->indices(0, 0, worker)) {
      seen.push_back(index);
    }
  }
  std::ranges::sort(seen);
  EXPECT_EQ(std::ranges::adjacent_find(seen), seen.end());
  EXPECT_EQ(seen.size(), 24U);

  // 2. and 3. Gradient and local rule, by hand, for every worker.
  std::vector<std::vector<float>> updated;
  std::vector<std::vector<double>> norms;
  std::vector<double> losses;
  for (int rank = 0; rank < 3; ++rank) {
    Worker worker(config.worker_options());
    data::Loader loader(
        config.dataset.train,
        config.sharder,
        {.workers = {rank},
         .steps_per_epoch = config.steps_per_epoch(),
         .first_step = 0,
         .last_step = 1,
         .prefetch = 0});
    data::Batch batch;
    loader.take(0, rank, batch);
    record::Spans spans;
    losses.push_back(worker.compute_gradient(batch, {}, spans));
    tensor::Arena& arena = worker.arena();
    std::vector<double> squares(arena.layout().blocks());
    config.rule->update(
        arena,
        {0, arena.layout().size()},
        {.step = 0, .lr = algo::learning_rate(config.lr, 0, 2)},
        {},
        squares);
    norms.push_back(tensor::fold_blocks(arena.layout(), squares));
    updated.emplace_back(arena.parameters().begin(), arena.parameters().end());
  }

  // 4. to 6. The mixing of a ring of three is the mean of all.
  const TrainResult result = train(spec, {});
  EXPECT_EQ(result.outcome, Outcome::kCompleted);
  EXPECT_EQ(result.steps, 1);
  const record::RunDirectory directory(result.run);
  const record::Checkpoints checkpoints(directory);
  ASSERT_EQ(checkpoints.list().size(), 1U);
  for (int rank = 0; rank < 3; ++rank) {
    const auto file = checkpoints.read_worker(checkpoints.list()[0], rank);
    const auto& parameters = file.tensors.at("parameters").values;
    ASSERT_EQ(parameters.size(), updated[0].size());
    const auto third = static_cast<float>(1.0 / 3);
    for (size_t i = 0; i < parameters.size(); ++i) {
      ASSERT_EQ(
          parameters[i],
          (updated[0][i] + updated[1][i] + updated[2][i]) * third)
          << "worker " << rank << ", element " << i;
    }
  }

  // 7. The records hold the losses, and the norms from before the averaging.
  nlohmann::json step;
  nlohmann::json recorded_norms;
  nlohmann::json dispersion;
  record::read_run_records(directory, [&](const nlohmann::json& line) {
    if (line["type"] == "step") step = line;
    if (line["type"] == "norms") recorded_norms = line;
    if (line["type"] == "dispersion") dispersion = line;
  });
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(step["loss"][rank].get<double>(), losses[rank]);
    for (size_t t = 0; t < norms[rank].size(); ++t) {
      EXPECT_EQ(
          recorded_norms["norms"][rank][t].get<double>(),
          std::sqrt(norms[rank][t]));
    }
  }
  EXPECT_GT(dispersion["gini"][0].get<double>(), 0);
  EXPECT_EQ(result.train_loss, (losses[0] + losses[1] + losses[2]) / 3);
}

TEST(Train, AFinishedRunIsNotDoneAgain) {
  const Folder folder;
  spec::Spec spec = tiny_spec(folder);
  const TrainResult first = train(spec, {});
  const TrainResult again = train(spec, {});
  EXPECT_FALSE(first.was_stored);
  EXPECT_TRUE(again.was_stored);
  EXPECT_EQ(to_json(first), to_json(again));
  spec.fresh = true;
  const TrainResult fresh = train(spec, {});
  EXPECT_FALSE(fresh.was_stored);
  EXPECT_EQ(fresh.parameters_sha256, first.parameters_sha256);
}

TEST(Train, PartialBatchesAreWeightedBySamples) {
  const Folder folder;
  spec::Spec spec = tiny_spec(folder);
  spec.agreement = "allreduce";
  spec.graph = "complete";
  spec.partial = "keep";
  spec.steps = 0;
  spec.n = 5;
  spec.batch = 17; // 96 samples: one full step of 85, then 11 among 5 workers
  const TrainResult result = train(spec, {});
  EXPECT_EQ(result.steps, 2);
  EXPECT_TRUE(std::isfinite(result.train_loss));
  const run::RunConfig config = make_run_config(spec, {});
  EXPECT_EQ(config.sharder->samples_in_step(0, 1), 11);
  double weights = 0;
  for (int worker = 0; worker < 5; ++worker) {
    weights += config.sharder->batch_weight(
        1,
        static_cast<int64_t>(config.sharder->indices(0, 1, worker).size()));
  }
  EXPECT_NEAR(weights, 5, 1e-12);
}

TEST(Train, AnInterruptedRunGoesOnToTheSameBits) {
  const Folder folder;
  spec::Spec spec = tiny_spec(folder);
  spec.steps = 4;
  const TrainResult whole = train(spec, {});

  const Folder other;
  spec.out = other / "run";
  const std::atomic<bool> interrupt = true;
  TrainHooks hooks;
  hooks.interrupt = &interrupt;
  const TrainResult part = train(spec, {}, hooks);
  EXPECT_EQ(part.outcome, Outcome::kInterrupted);
  EXPECT_EQ(part.steps, 1);
  const TrainResult rest = train(spec, {});
  EXPECT_EQ(rest.outcome, Outcome::kCompleted);
  EXPECT_EQ(rest.parameters_sha256, whole.parameters_sha256);
  EXPECT_EQ(rest.train_loss, whole.train_loss);
  EXPECT_EQ(rest.bytes, whole.bytes);
}

TEST(Train, DivergenceIsAnOutcome) {
  const Folder folder;
  spec::Spec spec = tiny_spec(folder);
  spec.steps = 0;
  spec.epochs = 3;
  spec.lr = 1e20;
  const TrainResult result = train(spec, {});
  EXPECT_EQ(result.outcome, Outcome::kDiverged);
  EXPECT_TRUE(to_json(result)["train_loss"].is_null());
}

} // namespace
} // namespace grapevine::run
