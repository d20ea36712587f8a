#include "report/buckets.h"
#include "base/check.h"
#include "base/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <span>
#include <vector>

namespace grapevine::report {
namespace {

struct Sample {
  int64_t step;
  double value;
};

// What a bucket of this width should hold, computed directly.
void expect_right(const Buckets& buckets, const std::vector<Sample>& samples) {
  std::map<int64_t, std::vector<Sample>> direct;
  for (const Sample& sample : samples)
    direct[sample.step / buckets.width()].push_back(sample);
  const auto filled = buckets.buckets();
  ASSERT_EQ(filled.size(), direct.size());
  size_t index = 0;
  for (const auto& [place, inside] : direct) {
    const auto& bucket = filled[index++];
    double sum = 0;
    int64_t count = 0;
    double low = INFINITY;
    double high = -INFINITY;
    int64_t first = inside.front().step;
    int64_t last = first;
    for (const Sample& sample : inside) {
      first = std::min(first, sample.step);
      last = std::max(last, sample.step);
      if (!std::isfinite(sample.value)) continue;
      sum += sample.value;
      low = std::min(low, sample.value);
      high = std::max(high, sample.value);
      ++count;
    }
    EXPECT_EQ(bucket.first_step, first);
    EXPECT_EQ(bucket.last_step, last);
    EXPECT_EQ(bucket.cells[0].count, count);
    if (count == 0) {
      EXPECT_TRUE(std::isnan(bucket.cells[0].mean()));
      EXPECT_TRUE(std::isnan(bucket.cells[0].low));
      continue;
    }
    EXPECT_NEAR(
        bucket.cells[0].mean(),
        sum / static_cast<double>(count),
        1e-12);
    EXPECT_EQ(bucket.cells[0].low, low);
    EXPECT_EQ(bucket.cells[0].high, high);
  }
}

class BucketsProperties : public testing::TestWithParam<int> {};

TEST_P(BucketsProperties, HoldWhatADirectComputationGives) {
  Random random(static_cast<uint64_t>(GetParam()), Purpose::kTest);
  const int capacity = 1 + static_cast<int>(random.below(40));
  const int64_t steps = 1 + static_cast<int64_t>(random.below(3000));
  const auto every = static_cast<int64_t>(1 + random.below(9));
  std::vector<Sample> samples;
  for (int64_t step = 0; step < steps; step += every) {
    const bool is_null = random.below(10) == 0;
    samples.push_back({step, is_null ? kNan : random.normal()});
    if (random.below(3) == 0) samples.push_back({step, random.normal()});
  }
  Buckets in_order(capacity, 1);
  for (const Sample& sample : samples)
    in_order.at(sample.step)[0].add(sample.value);
  EXPECT_LE(in_order.buckets().size(), static_cast<size_t>(capacity));
  expect_right(in_order, samples);

  std::vector<Sample> shuffled = samples;
  random.shuffle(std::span(shuffled));
  Buckets any_order(capacity, 1);
  for (const Sample& sample : shuffled)
    any_order.at(sample.step)[0].add(sample.value);
  EXPECT_EQ(any_order.width(), in_order.width());
  expect_right(any_order, samples);

  const int fewer = 1 + static_cast<int>(random.below(capacity));
  const Buckets reduced = in_order.reduced(fewer);
  EXPECT_LE(reduced.buckets().size(), static_cast<size_t>(fewer));
  expect_right(reduced, samples);
}

INSTANTIATE_TEST_SUITE_P(Seeds, BucketsProperties, testing::Range(1, 41));

TEST(Buckets, WidthDoublesOnlyWhenFull) {
  Buckets buckets(4, 1);
  for (int64_t step = 0; step < 4; ++step)
    buckets.at(step)[0].add(1);
  EXPECT_EQ(buckets.width(), 1);
  buckets.at(4)[0].add(1);
  EXPECT_EQ(buckets.width(), 2);
  EXPECT_EQ(buckets.buckets().size(), 3u);
}

// However long the run, one peak of one step is there.
TEST(Buckets, APeakSurvives) {
  Buckets buckets(16, 1);
  for (int64_t step = 0; step < 100000; ++step)
    buckets.at(step)[0].add(step == 77777 ? 1e9 : 0);
  double highest = 0;
  for (const auto& bucket : buckets.buckets())
    highest = std::max(highest, bucket.cells[0].high);
  EXPECT_EQ(highest, 1e9);
}

TEST(Buckets, RunsOfOneLengthLieOnOneGrid) {
  Buckets a(10, 1);
  Buckets b(10, 1);
  for (int64_t step = 0; step < 137; ++step)
    a.at(step)[0].add(1);
  for (int64_t step = 136; step >= 0; --step)
    b.at(step)[0].add(2);
  ASSERT_EQ(a.buckets().size(), b.buckets().size());
  for (size_t i = 0; i < a.buckets().size(); ++i)
    EXPECT_EQ(a.buckets()[i].last_step, b.buckets()[i].last_step);
}

TEST(Buckets, SparseStepsAreNotMergedWithoutNeed) {
  Buckets buckets(4096, 1);
  for (int64_t i = 0; i < 8; ++i)
    buckets.at(i * 500 + 499)[0].add(static_cast<double>(i));
  EXPECT_EQ(buckets.reduced(8).buckets().size(), 8u);
  EXPECT_LE(buckets.reduced(7).buckets().size(), 7u);
}

TEST(Buckets, StepsThatCannotBe) {
  Buckets buckets(4, 1);
  EXPECT_THROW(buckets.at(-1), CheckFailure);
  EXPECT_THROW(buckets.at(Buckets::kLargestStep + 1), CheckFailure);
  buckets.at(Buckets::kLargestStep)[0].add(1);
  EXPECT_LE(buckets.buckets().size(), 4u);
}

TEST(Buckets, Empty) {
  const Buckets buckets(4, 2);
  EXPECT_TRUE(buckets.buckets().empty());
  EXPECT_TRUE(buckets.reduced(1).buckets().empty());
}

} // namespace
} // namespace grapevine::report
