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
  const Sharder sharder(samples, workers, batch, 5);
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
  const Sharder sharder(samples, workers, batch, 5, PartialBatches::kKeep);
  auto all = epoch_of_all(sharder, workers, 2);
  std::sort(all.begin(), all.end());
  Indices every(samples);
  std::iota(every.begin(), every.end(), 0);
  EXPECT_EQ(all, every);
}

TEST_P(SharderSweep, KeepBeginsAsDropAndEndsEvenly) {
  const auto [samples, workers, batch] = GetParam();
  const Sharder drop(samples, workers, batch, 5);
  const Sharder keep(samples, workers, batch, 5, PartialBatches::kKeep);
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
  const Sharder
      sharder(samples, workers, batch, 5, PartialBatches::kDrop, split);
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
  const Sharder
      sharder(samples, workers, batch, 5, PartialBatches::kKeep, split);
  const Sharder plain(samples, workers, batch, 5, PartialBatches::kKeep);
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
  const Sharder sharder(500, 2, 10, 1, PartialBatches::kDrop, split);
  const Sharder again(500, 2, 10, 1, PartialBatches::kDrop, split);
  const Sharder other(500, 2, 10, 2, PartialBatches::kDrop, split);
  EXPECT_EQ(sharder.indices(4, 3, 1), again.indices(4, 3, 1));
  EXPECT_NE(sharder.indices(4, 3, 1), sharder.indices(5, 3, 1));
  EXPECT_NE(sharder.indices(4, 3, 1), other.indices(4, 3, 1));
}

TEST(Sharder, AStepIsTheSameForAnyNumberOfWorkers) {
  const Sharder one(1000, 1, 24, 7);
  for (const int workers : {2, 3, 4, 6, 8, 12, 24}) {
    const Sharder many(1000, workers, 24 / workers, 7);
    ASSERT_EQ(many.steps_per_epoch(), one.steps_per_epoch());
    for (int64_t s = 0; s < one.steps_per_epoch(); ++s) {
      EXPECT_EQ(step_of_all(one, 1, 3, s), step_of_all(many, workers, 3, s));
    }
  }
}

TEST(Sharder, IsAFunctionOfSeedAndEpoch) {
  const Sharder first(500, 2, 10, 1);
  const Sharder again(500, 2, 10, 1);
  const Sharder other(500, 2, 10, 2);
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
  const Sharder sharder(2000, 4, 10, 1);
  const Sharder alone(2000, 4, 10, 1);
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
  const auto message = message_of<ConfigError>([] { Sharder(100, 8, 13, 0); });
  EXPECT_NE(message.find("for 8 workers is 12"), std::string::npos) << message;
  EXPECT_NE(message.find("for batch 13 are 7"), std::string::npos) << message;
  const auto crowd = message_of<ConfigError>([] { Sharder(100, 101, 1, 0); });
  EXPECT_NE(crowd.find("the most workers are 100"), std::string::npos) << crowd;
  EXPECT_NO_THROW(Sharder(100, 8, 12, 0));
  EXPECT_NO_THROW(Sharder(100, 7, 13, 0));
}

TEST(Sharder, RefusesBadArguments) {
  EXPECT_THROW(Sharder(100, 0, 1, 0), ConfigError);
  EXPECT_THROW(Sharder(100, 1, 0, 0), ConfigError);
  EXPECT_THROW(Sharder(100, 4096, INT64_MAX, 0), ConfigError);
  EXPECT_THROW(Sharder(0, 1, 1, 0), ConfigError);
  EXPECT_THROW(Sharder(0, 1, 1, 0, PartialBatches::kKeep), ConfigError);
  EXPECT_EQ(
      Sharder(100, 4096, INT64_MAX, 0, PartialBatches::kKeep).steps_per_epoch(),
      1);
}

} // namespace
} // namespace grapevine::data
