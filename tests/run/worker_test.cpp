// A replica's gradient: in parts, announced while it is computed, and slowed
// down, it stays what it is.
#include "run/worker.h"
#include "base/error.h"
#include "base/random.h"
#include "run/clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace grapevine::run {
namespace {

data::Batch random_batch(int64_t samples) {
  data::Batch batch;
  Random random(9, Purpose::kTest);
  batch.sample_shape = {1, 28, 28};
  batch.inputs.resize(samples * 784);
  for (float& value : batch.inputs)
    value = static_cast<float>(random.normal());
  for (int64_t i = 0; i < samples; ++i)
    batch.labels.push_back(static_cast<int64_t>(random.below(10)));
  return batch;
}

Worker make_worker() {
  use_one_torch_thread();
  return Worker(
      {.model = "mlp",
       .sample_shape = {1, 28, 28},
       .classes = 10,
       .seed = 1,
       .state_planes = 0});
}

struct Listener : mix::GradientListener {
  void tensor_ready(int tensor) override { order.push_back(tensor); }
  std::vector<int> order;
};

TEST(Worker, MicroBatchesAddUpToTheBatch) {
  Worker worker = make_worker();
  record::Spans spans;
  const data::Batch batch = random_batch(13);
  const double loss = worker.compute_gradient(batch, {}, spans);
  const std::vector<float> whole(
      worker.arena().gradients().begin(),
      worker.arena().gradients().end());
  for (const int parts : {1, 2, 5, 13, 100}) {
    Listener listener;
    const double in_parts = worker.compute_gradient(
        batch,
        {.micro_batches = parts, .listener = &listener},
        spans);
    EXPECT_NEAR(in_parts, loss, 1e-5);
    for (size_t i = 0; i < whole.size(); ++i) {
      ASSERT_NEAR(worker.arena().gradients()[i], whole[i], 1e-5) << parts;
    }
    // Only the last part can say that a gradient is final.
    EXPECT_EQ(listener.order.size(), worker.arena().layout().tensors().size());
  }
}

TEST(Worker, AnEmptyBatchAnnouncesNothing) {
  Worker worker = make_worker();
  record::Spans spans;
  Listener listener;
  EXPECT_EQ(worker.compute_gradient({}, {.listener = &listener}, spans), 0.0);
  EXPECT_TRUE(listener.order.empty());
}

TEST(Worker, SlowedDownItComputesTheSame) {
  Worker worker = make_worker();
  record::Spans fast;
  const data::Batch batch = random_batch(64);
  const double loss = worker.compute_gradient(batch, {}, fast);
  // The sleeps, three quarters of the time, are part of forward and backward;
  // of what a busy machine takes between them there is nothing to be seen in
  // one of a few tries.
  double share = 0;
  for (int i = 0; i < 20 && share <= 0.5; ++i) {
    record::Spans slow;
    Listener listener;
    const Stopwatch watch;
    EXPECT_EQ(
        worker.compute_gradient(
            batch,
            {.slow_factor = 4, .listener = &listener},
            slow),
        loss);
    share = (slow.seconds(record::Span::kForward) +
             slow.seconds(record::Span::kBackward)) /
            watch.seconds();
    EXPECT_LE(share, 1);
  }
  EXPECT_GT(share, 0.5);
}

// A model on another device gives what one that is bound gives.
TEST(Worker, AMirrorComputesTheSame) {
  use_one_torch_thread();
  data::Batch batch = random_batch(12);
  batch.sample_shape = {3, 14, 14};
  batch.inputs.resize(12 * 3 * 14 * 14);
  WorkerOptions options = {
      .model = "resnet20",
      .sample_shape = {3, 14, 14},
      .classes = 10,
      .seed = 1};
  Worker bound(options);
  options.mirrors = true;
  Worker mirror(options);
  const auto same = [](auto mine, auto theirs) {
    return std::ranges::equal(mine, theirs);
  };
  record::Spans spans;
  for (int step = 0; step < 2; ++step) {
    Listener listener;
    const double loss = bound.compute_gradient(batch, {}, spans);
    EXPECT_EQ(
        mirror.compute_gradient(batch, {.listener = &listener}, spans),
        loss);
    EXPECT_EQ(listener.order.size(), mirror.arena().layout().tensors().size());
    EXPECT_TRUE(same(bound.arena().gradients(), mirror.arena().gradients()));
    EXPECT_TRUE(same(bound.arena().buffers(), mirror.arena().buffers()));
    for (Worker* worker : {&bound, &mirror}) {
      tensor::Arena& arena = worker->arena();
      for (size_t i = 0; i < arena.parameters().size(); ++i)
        arena.parameters()[i] -= 0.1F * arena.gradients()[i];
    }
  }
  EXPECT_TRUE(same(bound.arena().parameters(), mirror.arena().parameters()));
}

TEST(Worker, RefusesDevicesThatAreNotHere) {
  for (const std::string device : {"gpu", "cuda:4711", "mkldnn", ""}) {
    EXPECT_THROW(
        check_worker(
            {.model = "mlp",
             .sample_shape = {1, 28, 28},
             .classes = 10,
             .device = device}),
        ConfigError)
        << device;
  }
}

// Of twenty classes, more labels are among the five likeliest than the
// likeliest and fewer than all. Of ten or fewer nobody asks.
TEST(Worker, CountsLabelsAmongTheFiveLikeliestOfManyClasses) {
  use_one_torch_thread();
  for (const int classes : {10, 20}) {
    const data::Dataset dataset = data::load_dataset(
        {.name = "synthetic",
         .synthetic_samples = 800,
         .synthetic_classes = classes});
    const Worker worker(
        {.model = "mlp",
         .sample_shape = {1, 28, 28},
         .classes = classes,
         .seed = 1});
    std::vector<int64_t> indices(200);
    std::iota(indices.begin(), indices.end(), 0);
    const Score score = worker.score(EvaluationSet(*dataset.test, indices, {}));
    EXPECT_EQ(score.labels, 200);
    if (classes == 10) {
      EXPECT_EQ(score.among_five, 0);
    } else {
      EXPECT_LT(score.correct, score.among_five);
      EXPECT_LT(score.among_five, 200);
    }
  }
}

} // namespace
} // namespace grapevine::run
