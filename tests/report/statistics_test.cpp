#include "report/statistics.h"
#include "base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace grapevine::report {
namespace {

using Values = std::vector<double>;

TEST(Statistics, MeanAndDeviationByHand) {
  const Values values = {2, 4, 4, 4, 5, 5, 7, 9};
  EXPECT_DOUBLE_EQ(mean(values), 5);
  EXPECT_DOUBLE_EQ(sample_deviation(values), std::sqrt(32.0 / 7));
}

TEST(Statistics, OfNoneAndOfOne) {
  EXPECT_TRUE(std::isnan(mean(Values{})));
  EXPECT_TRUE(std::isnan(sample_deviation(Values{})));
  EXPECT_TRUE(std::isnan(sample_deviation(Values{3})));
  EXPECT_TRUE(std::isnan(median({})));
  const Summary one = summarize(Values{3});
  EXPECT_EQ(one.mean, 3);
  EXPECT_TRUE(std::isnan(one.sd));
  EXPECT_EQ(one.count, 1);
}

TEST(Statistics, EqualValuesHaveNoSpread) {
  EXPECT_EQ(sample_deviation(Values{0.25, 0.25, 0.25}), 0);
}

TEST(Statistics, SummaryLeavesOutWhatIsNotFinite) {
  const Summary summary = summarize(Values{1, kNan, 3, INFINITY});
  EXPECT_EQ(summary.mean, 2);
  EXPECT_DOUBLE_EQ(summary.sd, std::sqrt(2.0));
  EXPECT_EQ(summary.count, 2);
}

TEST(Statistics, Median) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({7}), 7);
}

// Median 3, distances 2 1 0 1 97 with median 1.
TEST(RobustZ, ByHand) {
  const Values z = robust_z(Values{1, 2, 3, 4, 100});
  EXPECT_NEAR(z[0], -2 / 1.4826, 1e-12);
  EXPECT_EQ(z[2], 0);
  EXPECT_NEAR(z[4], 97 / 1.4826, 1e-12);
}

TEST(RobustZ, UndefinedWithoutASpread) {
  for (const double z : robust_z(Values{1, 1, 1, 5}))
    EXPECT_TRUE(std::isnan(z));
  EXPECT_TRUE(robust_z(Values{}).empty());
}

TEST(RobustZ, NotFiniteValuesDoNotCount) {
  const Values z = robust_z(Values{1, kNan, 2, 3, 4, 100});
  EXPECT_TRUE(std::isnan(z[1]));
  EXPECT_NEAR(z[5], 97 / 1.4826, 1e-12);
}

TEST(RobustZ, NeitherScaleNorOrderNorPlaceMatters) {
  Random random(1, Purpose::kTest);
  Values values;
  for (int i = 0; i < 31; ++i)
    values.push_back(random.normal());
  Values expected = robust_z(values);
  Values moved;
  for (const double value : values)
    moved.push_back(1024 * value + 4096);
  const Values z = robust_z(moved);
  for (size_t i = 0; i < z.size(); ++i)
    EXPECT_NEAR(z[i], expected[i], 1e-8);
  random.shuffle(std::span(values));
  Values shuffled = robust_z(values);
  std::ranges::sort(shuffled);
  std::ranges::sort(expected);
  EXPECT_EQ(shuffled, expected);
}

TEST(IntervalTest, SaysWhatItHolds) {
  EXPECT_FALSE(Interval().exists());
  EXPECT_FALSE(Interval().excludes(0));
  EXPECT_TRUE((Interval{0.1, 0.2}.excludes(0)));
  EXPECT_TRUE((Interval{-0.2, -0.1}.excludes(0)));
  EXPECT_FALSE((Interval{-0.1, 0.2}.excludes(0)));
  EXPECT_FALSE((Interval{0, 0.2}.excludes(0)));
}

} // namespace
} // namespace grapevine::report
