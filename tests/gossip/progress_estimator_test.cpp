#include "gossip/progress_estimator.h"

#include <gtest/gtest.h>

namespace grapevine::gossip {
namespace {

TEST(ProgressEstimator, TakesTheNewerOfTwo) {
  ProgressEstimator one(0, 3);
  ProgressEstimator two(1, 3);
  for (int i = 1; i <= 4; ++i)
    one.add(i);
  two.add(1);
  two.merge(one.news(5), 5);
  one.merge(two.news(6), 6);
  EXPECT_EQ(one.counts(), (std::vector<int64_t>{4, 1, 0}));
  EXPECT_EQ(two.counts(), (std::vector<int64_t>{4, 1, 0}));
  // Of worker 0 it was true at 4, whoever says it when.
  EXPECT_DOUBLE_EQ(two.news(8).ages[0], 4);
}

TEST(ProgressEstimator, EstimatesWhatWasComputedMeanwhile) {
  ProgressEstimator one(0, 2);
  ProgressEstimator two(1, 2);
  two.merge(one.news(0), 0);
  for (int i = 1; i <= 100; ++i)
    one.add(i);
  two.merge(one.news(100), 100);
  EXPECT_DOUBLE_EQ(two.estimate(105), 105);
  // But not for ever: it may be gone.
  EXPECT_DOUBLE_EQ(two.estimate(125), 110);
  EXPECT_DOUBLE_EQ(two.estimate(1000), 100);
}

TEST(ProgressEstimator, TakesNoOldCountForSpeed) {
  ProgressEstimator back(1, 2, {0, 500});
  back.merge({.counts = {10000, 500}, .ages = {1, 60}}, 2);
  EXPECT_DOUBLE_EQ(back.estimate(2.5), 10500);
}

// Two gradients a millisecond apart are no speed of 1000 a second.
TEST(ProgressEstimator, TakesNoBurstForSpeed) {
  ProgressEstimator two(1, 2);
  two.merge({.counts = {3, 0}, .ages = {0, 1}}, 1);
  two.merge({.counts = {4, 0}, .ages = {0, 1}}, 1.001);
  EXPECT_LT(two.estimate(1.2), 4.5);
}

TEST(ProgressEstimator, KnowsWhatItHadDoneBefore) {
  ProgressEstimator back(1, 2, {5, 40});
  EXPECT_EQ(back.counts()[1], 40);
  EXPECT_EQ(back.estimate(0), 45);
  back.merge({.counts = {7, 50}, .ages = {0, 0}}, 1);
  back.add(2);
  EXPECT_EQ(back.counts(), (std::vector<int64_t>{7, 51}));
}

} // namespace
} // namespace grapevine::gossip
