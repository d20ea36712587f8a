#include "data/sharder.h"

#include "base/error.h"
#include "data/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <thread>

namespace grapevine::data {
namespace {

using Indices = std::vector<int64_t>;

Indices
step_of_all(const Sharder& sharder, int workers, int64_t epoch, int64_t step) {
  Indices all;
  for (int w = 0; w < workers; ++w) {
    const auto part = sharder.indices(epoch, step, w);
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

Indices epoch_of_all(const Sharder& sharder, int workers, int64_t epoch) {
  Indices all;
  for (int64_t s = 0; s < sharder.steps_per_epoch(); ++s) {
    const auto part = step_of_all(sharder, workers, epoch, s);
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

struct Case {
  int64_t samples;
  int workers;
  int64_t batch;
};

class SharderSweep : public testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(
    Sizes,
    SharderSweep,
    testing::Values(
        Case{1, 1, 1},
        Case{7, 1, 7},
        Case{7, 2, 3},
        Case{100, 3, 7},
        Case{1000, 7, 11},
        Case{1008, 1008, 1},
        Case{60000, 96, 32}));

TEST_P(SharderSweep, DropUsesEachSampleAtMostOnce) {
  const auto [samples, workers, batch] = GetParam();
  const ShuffledSharder sharder(
      samples,
      {.workers = workers, .batch = batch, .seed = 5});
  EXPECT_EQ(sharder.steps_per_epoch(), samples / (workers * batch));
  for (const int64_t epoch : {0, 1, 9}) {
    auto all = epoch_of_all(sharder, workers, epoch);
    EXPECT_EQ(
        static_cast<int64_t>(all.size()),
        sharder.steps_per_epoch() * workers * batch);
    std::sort(all.begin(), all.end());
    EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
    EXPECT_GE(all.front(), 0);
    EXPECT_LT(all.back(), samples);
  }
}

TEST_P(SharderSweep, KeepIsAPartition) {
  const auto [samples, workers, batch] = GetParam();
  const ShuffledSharder sharder(
      samples,
      {.workers = workers,
       .batch = batch,
       .seed = 5,
       .partial = PartialBatches::kKeep});
  auto all = epoch_of_all(sharder, workers, 2);
  std::sort(all.begin(), all.end());
  Indices every(samples);
  std::iota(every.begin(), every.end(), 0);
  EXPECT_EQ(all, every);
}

TEST_P(SharderSweep, KeepBeginsAsDropAndEndsEvenly) {
  const auto [samples, workers, batch] = GetParam();
  const ShuffledSharder drop(
      samples,
      {.workers = workers, .batch = batch, .seed = 5});
  const ShuffledSharder keep(
      samples,
      {.workers = workers,
       .batch = batch,
       .seed = 5,
       .partial = PartialBatches::kKeep});
  for (int64_t s = 0; s < drop.steps_per_epoch(); ++s) {
    EXPECT_EQ(
        step_of_all(drop, workers, 1, s),
        step_of_all(keep, workers, 1, s));
  }
  const int64_t rest = samples % (workers * batch);
  EXPECT_EQ(keep.steps_per_epoch(), drop.steps_per_epoch() + (rest > 0));
  if (rest == 0) return;
  for (int w = 0; w < workers; ++w) {
    const auto part = keep.indices(1, keep.steps_per_epoch() - 1, w).size();
    EXPECT_GE(static_cast<int64_t>(part), rest / workers);
    EXPECT_LE(static_cast<int64_t>(part), rest / workers + 1);
  }
}

// Any labels will do.
std::shared_ptr<const Split> some_split(int64_t samples, int workers) {
  std::vector<int64_t> labels;
  for (int64_t i = 0; i < samples; ++i)
    labels.push_back(i * i % 7);
  return std::make_shared<Split>(make_split(labels, 7, workers, {.seed = 5}));
}

TEST_P(SharderSweep, ASplitDropsWhatDoesNotFillAStep) {
  const auto [samples, workers, batch] = GetParam();
  const auto split = some_split(samples, workers);
  const ShuffledSharder sharder(
      samples,
      {.workers = workers,
       .batch = batch,
       .seed = 5,
       .partial = PartialBatches::kDrop,
       .split = split});
  EXPECT_EQ(sharder.steps_per_epoch(), samples / (workers * batch));
  for (const int64_t epoch : {0, 1}) {
    Indices all = epoch_of_all(sharder, workers, epoch);
    EXPECT_EQ(
        static_cast<int64_t>(all.size()),
        sharder.steps_per_epoch() * workers * batch);
    std::sort(all.begin(), all.end());
    EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
  }
}

TEST_P(SharderSweep, ASplitKeepsEverySampleWithItsWorker) {
  const auto [samples, workers, batch] = GetParam();
  const auto split = some_split(samples, workers);
  const ShuffledSharder sharder(
      samples,
      {.workers = workers,
       .batch = batch,
       .seed = 5,
       .partial = PartialBatches::kKeep,
       .split = split});
  const ShuffledSharder plain(
      samples,
      {.workers = workers,
       .batch = batch,
       .seed = 5,
       .partial = PartialBatches::kKeep});
  EXPECT_EQ(sharder.steps_per_epoch(), plain.steps_per_epoch());
  for (int w = 0; w < workers; ++w) {
    Indices mine;
    for (int64_t s = 0; s < sharder.steps_per_epoch(); ++s) {
      const Indices part = sharder.indices(3, s, w);
      EXPECT_LE(static_cast<int64_t>(part.size()), batch);
      mine.insert(mine.end(), part.begin(), part.end());
    }
    std::sort(mine.begin(), mine.end());
    Indices owned(
        split->order.begin() + split->begins[w],
        split->order.begin() + split->begins[w + 1]);
    std::sort(owned.begin(), owned.end());
    EXPECT_EQ(mine, owned) << w;
  }
}

TEST(Sharder, ASplitIsShuffledAnewInEveryEpoch) {
  const auto split = some_split(500, 2);
  const ShuffledSharder sharder(
      500,
      {.workers = 2,
       .batch = 10,
       .seed = 1,
       .partial = PartialBatches::kDrop,
       .split = split});
  const ShuffledSharder again(
      500,
      {.workers = 2,
       .batch = 10,
       .seed = 1,
       .partial = PartialBatches::kDrop,
       .split = split});
  const ShuffledSharder other(
      500,
      {.workers = 2,
       .batch = 10,
       .seed = 2,
       .partial = PartialBatches::kDrop,
       .split = split});
  EXPECT_EQ(sharder.indices(4, 3, 1), again.indices(4, 3, 1));
  EXPECT_NE(sharder.indices(4, 3, 1), sharder.indices(5, 3, 1));
  EXPECT_NE(sharder.indices(4, 3, 1), other.indices(4, 3, 1));
}

TEST(Sharder, AStepIsTheSameForAnyNumberOfWorkers) {
  const ShuffledSharder one(1000, {.workers = 1, .batch = 24, .seed = 7});
  for (const int workers : {2, 3, 4, 6, 8, 12, 24}) {
    const ShuffledSharder many(
        1000,
        {.workers = workers, .batch = 24 / workers, .seed = 7});
    ASSERT_EQ(many.steps_per_epoch(), one.steps_per_epoch());
    for (int64_t s = 0; s < one.steps_per_epoch(); ++s) {
      EXPECT_EQ(step_of_all(one, 1, 3, s), step_of_all(many, workers, 3, s));
    }
  }
}

TEST(Sharder, IsAFunctionOfSeedAndEpoch) {
  const ShuffledSharder first(500, {.workers = 2, .batch = 10, .seed = 1});
  const ShuffledSharder again(500, {.workers = 2, .batch = 10, .seed = 1});
  const ShuffledSharder other(500, {.workers = 2, .batch = 10, .seed = 2});
  // Asked for in another order, past what is remembered.
  Indices backwards;
  for (int64_t epoch = 8; epoch >= 0; --epoch) {
    backwards = first.indices(epoch, 3, 1);
  }
  EXPECT_EQ(backwards, again.indices(0, 3, 1));
  EXPECT_EQ(first.indices(8, 0, 0), again.indices(8, 0, 0));
  EXPECT_NE(first.indices(0, 3, 1), first.indices(1, 3, 1));
  EXPECT_NE(first.indices(0, 3, 1), other.indices(0, 3, 1));
}

TEST(Sharder, ThreadsSeeTheSame) {
  const ShuffledSharder sharder(2000, {.workers = 4, .batch = 10, .seed = 1});
  const ShuffledSharder alone(2000, {.workers = 4, .batch = 10, .seed = 1});
  std::vector<Indices> seen(4);
  {
    std::vector<std::jthread> threads;
    for (int w = 0; w < 4; ++w) {
      threads.emplace_back([&, w] {
        for (int64_t e = 0; e < 6; ++e) {
          const auto part = sharder.indices(e, e, w);
          seen[w].insert(seen[w].end(), part.begin(), part.end());
        }
      });
    }
  }
  for (int w = 0; w < 4; ++w) {
    Indices expected;
    for (int64_t e = 0; e < 6; ++e) {
      const auto part = alone.indices(e, e, w);
      expected.insert(expected.end(), part.begin(), part.end());
    }
    EXPECT_EQ(seen[w], expected);
  }
}

TEST(Sharder, RefusesAnEpochWithoutSteps) {
  const auto message = message_of<ConfigError>(
      [] { ShuffledSharder(100, {.workers = 8, .batch = 13, .seed = 0}); });
  EXPECT_NE(message.find("for 8 workers is 12"), std::string::npos) << message;
  EXPECT_NE(message.find("for batch 13 are 7"), std::string::npos) << message;
  const auto crowd = message_of<ConfigError>(
      [] { ShuffledSharder(100, {.workers = 101, .batch = 1, .seed = 0}); });
  EXPECT_NE(crowd.find("the most workers are 100"), std::string::npos) << crowd;
  EXPECT_NO_THROW(ShuffledSharder(100, {.workers = 8, .batch = 12, .seed = 0}));
  EXPECT_NO_THROW(ShuffledSharder(100, {.workers = 7, .batch = 13, .seed = 0}));
}

TEST(Sharder, RefusesBadArguments) {
  EXPECT_THROW(
      ShuffledSharder(100, {.workers = 0, .batch = 1, .seed = 0}),
      ConfigError);
  EXPECT_THROW(
      ShuffledSharder(100, {.workers = 1, .batch = 0, .seed = 0}),
      ConfigError);
  EXPECT_THROW(
      ShuffledSharder(100, {.workers = 4096, .batch = INT64_MAX, .seed = 0}),
      ConfigError);
  EXPECT_THROW(
      ShuffledSharder(0, {.workers = 1, .batch = 1, .seed = 0}),
      ConfigError);
  EXPECT_THROW(
      ShuffledSharder(
          0,
          {.workers = 1,
           .batch = 1,
           .seed = 0,
           .partial = PartialBatches::kKeep}),
      ConfigError);
  EXPECT_EQ(
      ShuffledSharder(
          100,
          {.workers = 4096,
           .batch = INT64_MAX,
           .seed = 0,
           .partial = PartialBatches::kKeep})
          .steps_per_epoch(),
      1);
}

// Each row of a worker's batches is one stretch of the text, in order.
TEST(StreamSharder, RowsReadOn) {
  const int workers = 3;
  const StreamSharder sharder(100, {.workers = workers, .batch = 4});
  EXPECT_EQ(sharder.steps_per_epoch(), 8);
  auto all = epoch_of_all(sharder, workers, 5);
  std::ranges::sort(all);
  EXPECT_EQ(std::ranges::adjacent_find(all), all.end());
  EXPECT_EQ(all.back(), 95);
  for (int w = 0; w < workers; ++w) {
    for (int64_t s = 1; s < sharder.steps_per_epoch(); ++s) {
      const auto before = sharder.indices(5, s - 1, w);
      const auto now = sharder.indices(5, s, w);
      for (size_t b = 0; b < now.size(); ++b)
        EXPECT_EQ(now[b], before[b] + 1);
    }
  }
  EXPECT_THROW(
      StreamSharder(11, {.workers = workers, .batch = 4}),
      ConfigError);
}

TEST(LengthSharder, FillsBatchesWithTokens) {
  Indices lengths(500);
  for (size_t i = 0; i < lengths.size(); ++i)
    lengths[i] = static_cast<int64_t>(1 + i * i % 37);
  lengths[17] = 1000; // longer than a batch: one for itself
  const int64_t tokens = 120;
  for (const int workers : {1, 4}) {
    const LengthSharder sharder(
        lengths,
        {.workers = workers, .batch = tokens, .seed = 3});
    Indices all;
    int64_t padded = 0;
    for (int64_t s = 0; s < sharder.steps_per_epoch(); ++s) {
      int64_t samples = 0;
      for (int w = 0; w < workers; ++w) {
        const auto batch = sharder.indices(1, s, w);
        int64_t longest = 0;
        for (const int64_t i : batch)
          longest = std::max(longest, lengths[i]);
        const auto count = static_cast<int64_t>(batch.size());
        EXPECT_TRUE(count == 1 || count * longest <= tokens);
        padded += count * longest;
        samples += count;
        all.insert(all.end(), batch.begin(), batch.end());
      }
      EXPECT_EQ(sharder.samples_in_step(1, s), samples);
    }
    int64_t used = 0;
    for (const int64_t i : all)
      used += lengths[i];
    EXPECT_LT(padded, used * 11 / 10);
    std::ranges::sort(all);
    EXPECT_EQ(std::ranges::adjacent_find(all), all.end());
    if (workers == 1) {
      EXPECT_EQ(all.size(), lengths.size());
    }
    EXPECT_NE(sharder.indices(0, 0, 0), sharder.indices(1, 0, 0));
  }
  EXPECT_THROW(
      LengthSharder(lengths, {.workers = 400, .batch = tokens}),
      ConfigError);
}

} // namespace
} // namespace grapevine::data
