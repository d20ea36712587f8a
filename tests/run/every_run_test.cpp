// What a run has beside training, synchronous or not: moving averages, the best
// model, an early end. On the virtual cluster; tests/system has the processes.
#include "record/checkpoint.h"
#include "record/run_directory.h"
#include "run/best.h"
#include "run/run_config.h"
#include "run/tiny_spec.h"
#include "run/trainer.h"
#include "run/worker.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <string>

namespace grapevine::run {
namespace {

class EveryRun : public testing::TestWithParam<std::string> {
 protected:
  // Of the agreement under test.
  spec::Spec spec_in(const Folder& folder) const {
    spec::Spec spec = tiny_spec(folder);
    spec.agreement = GetParam();
    return spec;
  }
};

INSTANTIATE_TEST_SUITE_P(
    Agreements,
    EveryRun,
    testing::Values(
        "adapt-then-combine",
        "combine-while-adapt",
        "gradient-tracking",
        "gossip"),
    [](const auto& info) {
      std::string name = info.param;
      std::ranges::replace(name, '-', '_');
      return name;
    });

// By hand: the average starts at the initial values, so after one step it is
// d x0 + (1 - d) x1. Alone, so that the final average of gossip is x1, too.
TEST_P(EveryRun, TheMovingAverageFollowsTheWeights) {
  const Folder folder;
  spec::Spec spec = spec_in(folder);
  spec.n = 1;
  spec.ema = 0.75;
  const Worker initial(make_run_config(spec, {}).worker_options());
  const TrainResult result = train(spec, {});
  ASSERT_TRUE(result.ema_accuracy);
  const record::Checkpoints checkpoints{record::RunDirectory(result.run)};
  const auto file = checkpoints.read_worker(checkpoints.list()[0], 0);
  const auto& now = file.tensors.at("parameters").values;
  const auto& average = file.tensors.at("moving_average").values;
  for (size_t i = 0; i < now.size(); ++i) {
    ASSERT_NEAR(
        average[i],
        0.75F * initial.arena().parameters()[i] + 0.25F * now[i],
        1e-6);
  }
}

TEST_P(EveryRun, AMovingAverageLeavesTheTrainingAlone) {
  const Folder folder;
  spec::Spec spec = spec_in(folder);
  spec.steps = 3;
  const std::string without = train(spec, {}).parameters_sha256;
  spec.out = folder / "with";
  spec.ema = 0.75;
  EXPECT_EQ(train(spec, {}).parameters_sha256, without);
}

TEST_P(EveryRun, ResumesWithItsAveragesAndItsBest) {
  const Folder folder;
  spec::Spec spec = spec_in(folder);
  spec.steps = 12;
  spec.epochs = 3;
  spec.ema = 0.9;
  spec.keep_best = true;
  const TrainResult whole = train(spec, {});
  ASSERT_TRUE(whole.best_epoch);

  const Folder other;
  spec.out = other / "run";
  std::atomic<bool> interrupt = false;
  TrainHooks hooks;
  hooks.interrupt = &interrupt;
  hooks.on_progress = [&](const Progress& progress) {
    if (progress.step >= 5) interrupt = true;
  };
  const TrainResult part = train(spec, {}, hooks);
  ASSERT_EQ(part.outcome, Outcome::kInterrupted);
  std::string resumed;
  TrainHooks listens;
  listens.on_progress = [&](const Progress& progress) {
    if (resumed.empty()) resumed = progress.phase;
  };
  const TrainResult rest = train(spec, {}, listens);
  EXPECT_EQ(resumed, "resumed from step " + std::to_string(part.steps));
  EXPECT_EQ(rest.parameters_sha256, whole.parameters_sha256);
  EXPECT_EQ(rest.ema_accuracy, whole.ema_accuracy);
  EXPECT_EQ(rest.best_epoch, whole.best_epoch);
  EXPECT_EQ(rest.best_accuracy, whole.best_accuracy);
}

// A rate of which nothing is learnt: the second evaluation is no better.
TEST_P(EveryRun, EndsEarlyAndKeepsTheBest) {
  const Folder folder;
  spec::Spec spec = spec_in(folder);
  spec.steps = 0;
  spec.epochs = 7;
  spec.lr = 1e-12;
  spec.early_stop = 2;
  spec.keep_best = true;
  const TrainResult result = train(spec, {});
  EXPECT_EQ(result.outcome, Outcome::kCompleted);
  EXPECT_EQ(result.epochs, 3);
  EXPECT_EQ(result.best_epoch, 1);
  EXPECT_EQ(result.best_accuracy, result.averaged_model_accuracy);
  EXPECT_TRUE(
      std::filesystem::exists(record::RunDirectory(result.run).best_model()));
  // The file starts another run.
  const Folder other;
  spec.init = record::RunDirectory(result.run).best_model().string();
  spec.out = other / "run";
  EXPECT_EQ(train(spec, {}).best_accuracy, result.best_accuracy);
  // Finished, though not at its last step.
  spec.out = folder / "run";
  spec.init.clear();
  EXPECT_TRUE(train(spec, {}).was_stored);
}

TEST(Best, GoesThroughACheckpoint) {
  const Folder folder;
  spec::Spec spec = tiny_spec(folder);
  spec.early_stop = 2;
  spec.keep_best = true;
  Worker worker(make_run_config(spec, {}).worker_options());
  tensor::Arena& arena = worker.arena();
  Best best(spec);
  arena.parameters()[0] = 7;
  EXPECT_TRUE(best.offer({.accuracy = 0.5, .loss = 1}, 1, &arena));
  arena.parameters()[0] = 8; // worse, and not a number
  EXPECT_FALSE(best.offer({.accuracy = 0.4, .loss = 1}, 2, &arena));
  EXPECT_FALSE(best.gives_up());

  const Best::Stored stored = best.stored();
  std::vector<record::TensorView> planes;
  record::Metadata metadata;
  stored.add_to(planes, metadata);
  record::write_safetensors(folder / "own", planes, metadata);
  const record::Safetensors file = record::read_safetensors(folder / "own");
  Best again(spec);
  again.restore(file, arena);
  EXPECT_EQ(again.state().epoch, 1);
  EXPECT_FALSE(again.offer({.accuracy = 0.9, .loss = std::nan("")}, 3, &arena));
  EXPECT_TRUE(again.gives_up());
  ASSERT_TRUE(again.put_into(arena));
  EXPECT_EQ(arena.parameters()[0], 7);

  // One that does not keep values has none to give.
  spec.keep_best = false;
  Best counts(spec);
  counts.restore(file, arena);
  EXPECT_EQ(counts.state().epoch, 1);
  EXPECT_FALSE(counts.put_into(arena));
}

} // namespace
} // namespace grapevine::run
