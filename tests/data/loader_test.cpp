#include "data/loader.h"

#include "base/check.h"
#include "base/error.h"

#include "data/sharder.h"
#include "data/test_data.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <stdexcept>
#include <thread>

namespace grapevine::data {
namespace {

constexpr int64_t kSamples = 240;

std::shared_ptr<const Source> synthetic() {
  static const auto source = load_dataset({.name = "synthetic",
                                           .seed = 4,
                                           .synthetic_samples = kSamples,
                                           .synthetic_shape = {1, 3, 5}})
                                 .train;
  return source;
}

struct Case {
  int prefetch;
  int threads;
};

class LoaderSweep : public testing::TestWithParam<Case> {
 protected:
  static constexpr int kWorkers = 6;
  const std::shared_ptr<const Sharder> sharder_ =
      std::make_shared<ShuffledSharder>(
          kSamples,
          ShardOptions{
              .workers = kWorkers,
              .batch = 7,
              .seed = 9,
              .partial = PartialBatches::kKeep});
};

INSTANTIATE_TEST_SUITE_P(
    PrefetchTimesThreads,
    LoaderSweep,
    testing::Values(
        Case{0, 1},
        Case{1, 1},
        Case{2, 1},
        Case{7, 1},
        Case{0, 3},
        Case{1, 3},
        Case{2, 3},
        Case{7, 3},
        Case{100, 2}));

// Over epochs with a short last step, from a step in the middle on, hosting
// some of the workers, each thread with buffers of its own.
TEST_P(LoaderSweep, GivesWhatTheSourceGives) {
  const auto [prefetch, threads] = GetParam();
  const int64_t steps = sharder_->steps_per_epoch();
  const std::vector<int> hosted = {0, 2, 3, 5};
  Loader loader(
      synthetic(),
      sharder_,
      {.workers = hosted,
       .steps_per_epoch = steps,
       .first_step = 4,
       .last_step = 3 * steps,
       .prefetch = prefetch});
  std::atomic<int> wrong = 0;
  for (int64_t step = 4; step < 3 * steps; ++step) {
    std::atomic<size_t> turn = 0;
    std::vector<std::jthread> crew;
    for (int t = 0; t < threads; ++t) {
      crew.emplace_back([&] {
        Batch batch;
        for (size_t i = turn++; i < hosted.size(); i = turn++) {
          loader.take(step, hosted[i], batch);
          const auto expected = gather(
              *synthetic(),
              sharder_->indices(step / steps, step % steps, hosted[i]));
          wrong += batch.inputs != expected.inputs ||
                   batch.labels != expected.labels;
        }
      });
    }
  }
  EXPECT_EQ(wrong, 0);
}

TEST_P(LoaderSweep, AnyOrderOfWorkersAndSkippedBatches) {
  const int64_t steps = sharder_->steps_per_epoch();
  Loader loader(
      synthetic(),
      sharder_,
      {.workers = {0, 1, 2, 3, 4, 5},
       .steps_per_epoch = steps,
       .last_step = steps,
       .prefetch = GetParam().prefetch});
  Batch batch;
  for (int64_t step = 0; step < steps; ++step) {
    for (int worker = 5; worker >= 0; worker -= step % 2 == 0 ? 1 : 2) {
      loader.take(step, worker, batch);
      EXPECT_EQ(
          batch.inputs,
          gather(*synthetic(), sharder_->indices(0, step, worker)).inputs);
    }
  }
}

TEST_P(LoaderSweep, EndsWithBatchesLeft) {
  for (const int64_t taken : {0, 1, 5}) {
    Loader loader(
        synthetic(),
        sharder_,
        {.workers = {1},
         .steps_per_epoch = sharder_->steps_per_epoch(),
         .last_step = 1000,
         .prefetch = GetParam().prefetch});
    Batch batch;
    for (int64_t step = 0; step < taken; ++step) {
      loader.take(step, 1, batch);
      EXPECT_EQ(
          batch.inputs,
          gather(*synthetic(), sharder_->indices(0, step, 1)).inputs);
    }
  }
}

TEST(Loader, UsesBuffersAgain) {
  const auto sharder = std::make_shared<ShuffledSharder>(
      kSamples,
      ShardOptions{.workers = 1, .batch = 8, .seed = 1});
  Loader loader(
      synthetic(),
      sharder,
      {.steps_per_epoch = 30, .last_step = 30, .prefetch = 0});
  Batch batch;
  loader.take(0, 0, batch);
  const float* place = batch.inputs.data();
  for (int64_t step = 1; step < 30; ++step) {
    loader.take(step, 0, batch);
    EXPECT_EQ(batch.inputs.data(), place);
  }
}

// A sample is where it comes from: seed, epoch, index.
class Addressed final : public Source {
 public:
  int64_t size() const override { return kSamples; }
  std::vector<int64_t> sample_shape() const override { return {3}; }
  int classes() const override { return 1; }

 private:
  void fill(std::span<const int64_t> indices, Batch& batch, const Draw* draw)
      const override {
    auto to = batch.inputs.begin();
    for (const int64_t index : indices) {
      *to++ = static_cast<float>(draw->seed);
      *to++ = static_cast<float>(draw->epoch);
      *to++ = static_cast<float>(index);
    }
  }
};

TEST(Loader, SourcesSeeSeedEpochAndSample) {
  const auto sharder = std::make_shared<ShuffledSharder>(
      kSamples,
      ShardOptions{.workers = 1, .batch = 80, .seed = 1});
  for (const int threads : {0, 1, 3}) {
    Loader loader(
        std::make_shared<Addressed>(),
        sharder,
        {.steps_per_epoch = 3,
         .last_step = 6,
         .prefetch = threads,
         .threads = std::max(threads, 1),
         .seed = 7});
    Batch batch;
    for (int64_t step = 0; step < 6; ++step) {
      loader.take(step, 0, batch);
      const auto samples = sharder->indices(step / 3, step % 3, 0);
      for (size_t b = 0; b < samples.size(); ++b) {
        EXPECT_EQ(batch.inputs[3 * b], 7);
        EXPECT_EQ(batch.inputs[3 * b + 1], static_cast<float>(step / 3));
        EXPECT_EQ(batch.inputs[3 * b + 2], static_cast<float>(samples[b]));
      }
    }
  }
}

// Fails for one sample; holds up whoever gathers until it is let go.
class Troubled final : public Source {
 public:
  explicit Troubled(int64_t bad_sample) : bad_sample_(bad_sample) {}
  int64_t size() const override { return kSamples; }
  std::vector<int64_t> sample_shape() const override { return {1}; }
  int classes() const override { return 2; }

  std::latch* begun = nullptr;
  std::latch* gate = nullptr;

 private:
  void fill(std::span<const int64_t> indices, Batch&, const Draw*)
      const override {
    if (gate != nullptr) {
      if (begun != nullptr) begun->count_down();
      gate->wait();
    }
    for (const auto index : indices) {
      if (index == bad_sample_) throw IoError("sample is bad");
    }
  }

  int64_t bad_sample_;
};

TEST(Loader, CarriesTheSourcesErrorToItsTaker) {
  const auto sharder = std::make_shared<ShuffledSharder>(
      kSamples,
      ShardOptions{.workers = 1, .batch = 8, .seed = 1});
  const auto bad = sharder->indices(0, 5, 0)[3];
  for (const int prefetch : {0, 1, 2, 7}) {
    Loader loader(
        std::make_shared<Troubled>(bad),
        sharder,
        {.steps_per_epoch = 30, .last_step = 30, .prefetch = prefetch});
    Batch batch;
    for (int64_t step = 0; step < 30; ++step) {
      if (step == 5) {
        EXPECT_THROW(loader.take(step, 0, batch), IoError);
      } else {
        EXPECT_NO_THROW(loader.take(step, 0, batch));
      }
    }
  }
}

// The destructor waits for a take() that is under way on another thread, and
// that take() ends as usual. With a prefetch the thread holds step 0 and the
// taker gathers step 1, so that both are certain to have begun.
TEST(Loader, EndsWhileATakeIsOutstanding) {
  const auto sharder = std::make_shared<ShuffledSharder>(
      kSamples,
      ShardOptions{.workers = 1, .batch = 8, .seed = 1});
  for (const int prefetch : {0, 1}) {
    const auto source = std::make_shared<Troubled>(-1);
    std::latch begun(1 + prefetch);
    std::latch gate(1);
    source->begun = &begun;
    source->gate = &gate;
    auto loader = std::make_unique<Loader>(
        source,
        sharder,
        LoaderOptions{
            .steps_per_epoch = 30,
            .last_step = 1 + prefetch,
            .prefetch = prefetch});
    std::atomic<bool> taken = false;
    std::jthread taker([&taken, &outstanding = *loader, prefetch] {
      Batch batch;
      outstanding.take(prefetch, 0, batch);
      EXPECT_EQ(batch.samples(), 8);
      taken = true;
    });
    begun.wait();
    std::jthread opener([&gate] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      gate.count_down();
    });
    loader.reset();
    taker.join();
    EXPECT_TRUE(taken);
  }
}

TEST(Loader, ChecksItsCallers) {
  const auto sharder = std::make_shared<ShuffledSharder>(
      kSamples,
      ShardOptions{.workers = 4, .batch = 8, .seed = 1});
  for (const int prefetch : {0, 2}) {
    Loader loader(
        synthetic(),
        sharder,
        {.workers = {1, 3},
         .steps_per_epoch = 7,
         .first_step = 2,
         .last_step = 5,
         .prefetch = prefetch});
    Batch batch;
    loader.take(2, 1, batch);
    EXPECT_THROW(loader.take(2, 1, batch), CheckFailure); // twice
    EXPECT_THROW(loader.take(2, 2, batch), CheckFailure); // not hosted
    EXPECT_THROW(loader.take(1, 1, batch), CheckFailure); // before
    EXPECT_THROW(loader.take(5, 1, batch), CheckFailure); // after
    loader.take(4, 3, batch);
    EXPECT_THROW(loader.take(4, 3, batch), CheckFailure);
  }
  EXPECT_THROW(Loader(synthetic(), sharder, {.workers = {3, 1}}), CheckFailure);
  EXPECT_THROW(
      Loader(synthetic(), sharder, {.steps_per_epoch = 8}),
      CheckFailure);
}

} // namespace
} // namespace grapevine::data
