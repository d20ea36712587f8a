// When runs of every kind write checkpoints, and that a run of several
// processes agrees on it.
#include "mix/cluster.h"
#include "net/transports.h"
#include "record/checkpoint.h"
#include "run/engines/synchronous.h"
#include "run/engines/virtual_time.h"
#include "run/run.h"
#include "run/run_config.h"
#include "run/tiny_spec.h"
#include "run/worker.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace grapevine::run {
namespace {

TEST(CheckpointPolicy, GoesByStepsOrByTheClock) {
  const CheckpointPolicy by_steps{.every = 3};
  EXPECT_FALSE(by_steps.is_due_at(4));
  EXPECT_TRUE(by_steps.is_due_at(6));
  EXPECT_FALSE(by_steps.is_due_after(1e9));
  const CheckpointPolicy by_clock{.every = 0, .seconds = 60};
  EXPECT_FALSE(by_clock.is_due_at(60));
  EXPECT_FALSE(by_clock.is_due_after(59));
  EXPECT_TRUE(by_clock.is_due_after(61));
  EXPECT_TRUE(by_clock.keeps_result());
  const CheckpointPolicy never{.every = -1};
  EXPECT_FALSE(never.is_due_at(0));
  EXPECT_FALSE(never.is_due_after(1e9));
  EXPECT_FALSE(never.keeps_result());
}

// One epoch of 25 steps, and a clock by which a checkpoint is always due.
class CheckpointsByTheClock : public testing::Test {
 protected:
  static constexpr int kSteps = 25;

  RunConfig config_of(const std::string& agreement) const {
    spec::Spec spec = tiny_spec(folder_);
    spec.agreement = agreement;
    spec.synthetic_samples = 3 * 8 * 40;
    spec.steps = kSteps;
    spec.checkpoint_every = 0;
    RunConfig config = make_run_config(spec, {});
    config.checkpoint_seconds = 0;
    directory_.create();
    return config;
  }

  template <class AnyEngine>
  TrainResult train(const RunConfig& config, mix::Cluster& cluster) const {
    RunContext context(
        config,
        {cluster.hosted().begin(), cluster.hosted().end()},
        directory_,
        0,
        hooks_);
    AnyEngine engine(context, cluster);
    return run::Run(context, engine).run();
  }

  // The one before the last, which is of the result.
  void expect_one_inside_the_epoch() const {
    const record::Checkpoints checkpoints(directory_);
    const auto list = checkpoints.list();
    ASSERT_EQ(list.size(), 2U);
    EXPECT_EQ(list[0].step, kSteps);
    EXPECT_GT(list[1].step, 0);
    EXPECT_LT(list[1].step, kSteps);
    for (int worker = 0; worker < 3; ++worker)
      EXPECT_NO_THROW(checkpoints.read_worker(list[1], worker));
  }

  Folder folder_;
  const record::RunDirectory directory_{folder_ / "run"};
  const TrainHooks hooks_;
};

TEST_F(CheckpointsByTheClock, OfVirtualWorkers) {
  ThreadPool pool(1, use_one_torch_thread);
  const auto cluster = mix::make_virtual_cluster(3, pool);
  train<SynchronousEngine>(config_of("adapt-then-combine"), *cluster);
  expect_one_inside_the_epoch();
}

TEST_F(CheckpointsByTheClock, InVirtualTime) {
  ThreadPool pool(1, use_one_torch_thread);
  const auto cluster = mix::make_virtual_cluster(3, pool);
  train<VirtualTimeEngine>(config_of("gossip"), *cluster);
  expect_one_inside_the_epoch();
}

// The first worker decides, and all write at the same step: else the folder
// would have no manifest, or one would wait for the others for ever.
TEST_F(CheckpointsByTheClock, OfProcesses) {
  const RunConfig config = config_of("adapt-then-combine");
  RunConfig patient = config;
  patient.checkpoint_seconds = 1e9;
  auto transports = net::make_local_transports(3);
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < 3; ++rank) {
      threads.emplace_back([&, rank] {
        use_one_torch_thread();
        const auto cluster =
            mix::make_process_cluster(std::move(transports[rank]), {});
        train<SynchronousEngine>(rank == 0 ? config : patient, *cluster);
      });
    }
  }
  expect_one_inside_the_epoch();
}

} // namespace
} // namespace grapevine::run
