#include "report/bootstrap.h"
#include "base/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

namespace grapevine::report {
namespace {

using Seeds = std::vector<uint64_t>;
using Counts = std::span<const int>;

// The mean of values by how often they were drawn.
auto drawn_mean(const std::vector<double>& values) {
  return [values](Counts counts) {
    double sum = 0;
    double drawn = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      sum += counts[i] * values[i];
      drawn += counts[i];
    }
    return sum / drawn;
  };
}

TEST(Bootstrap, NoneWithOneSeed) {
  const auto one = [](Counts) { return 1.0; };
  EXPECT_FALSE(bootstrap_over_seeds(Seeds{5, 5, 5}, one).exists());
  EXPECT_FALSE(bootstrap_over_seeds(Seeds{}, one).exists());
}

TEST(Bootstrap, AFigureThatNeverChanges) {
  const Interval interval =
      bootstrap_over_seeds(Seeds{1, 2, 3}, [](Counts) { return 0.5; });
  EXPECT_EQ(interval.low, 0.5);
  EXPECT_EQ(interval.high, 0.5);
}

TEST(Bootstrap, RunsOfASeedComeTogether) {
  bootstrap_over_seeds(Seeds{1, 2, 1, 3, 2, 1}, [](Counts counts) {
    EXPECT_EQ(counts[0], counts[2]);
    EXPECT_EQ(counts[0], counts[5]);
    EXPECT_EQ(counts[1], counts[4]);
    EXPECT_EQ(counts[0] + counts[1] + counts[3], 3);
    return 1.0;
  });
}

// Of two seeds, one is drawn twice in half of the drawings.
TEST(Bootstrap, TwoSeedsGiveTheirRange) {
  const Interval interval =
      bootstrap_over_seeds(Seeds{1, 2}, drawn_mean({3, 7}));
  EXPECT_EQ(interval.low, 3);
  EXPECT_EQ(interval.high, 7);
}

TEST(Bootstrap, Repeats) {
  const Seeds seeds = {1, 2, 3, 4, 5};
  const auto figure = drawn_mean({1, 5, 2, 8, 3});
  const Interval first = bootstrap_over_seeds(seeds, figure);
  const Interval second = bootstrap_over_seeds(seeds, figure);
  EXPECT_EQ(first.low, second.low);
  EXPECT_EQ(first.high, second.high);
}

TEST(Bootstrap, UndefinedFiguresAreLeftOut) {
  int calls = 0;
  const auto sometimes = [&](Counts) { return ++calls % 4 == 0 ? kNan : 2.0; };
  EXPECT_EQ(bootstrap_over_seeds(Seeds{1, 2}, sometimes).high, 2);
  const auto rarely = [&](Counts) { return ++calls % 4 == 0 ? 2.0 : kNan; };
  EXPECT_FALSE(bootstrap_over_seeds(Seeds{1, 2}, rarely).exists());
}

// Of a mean of many, the interval is that of the normal distribution.
TEST(Bootstrap, WidthOfAMean) {
  Random random(7, Purpose::kTest);
  Seeds seeds;
  std::vector<double> values;
  for (uint64_t i = 0; i < 100; ++i) {
    seeds.push_back(i);
    values.push_back(random.normal());
  }
  const Interval interval = bootstrap_over_seeds(seeds, drawn_mean(values));
  const double half = 1.96 * sample_deviation(values) / 10;
  EXPECT_NEAR(interval.high - interval.low, 2 * half, 0.15 * 2 * half);
  EXPECT_NEAR((interval.high + interval.low) / 2, mean(values), 0.15 * half);
}

} // namespace
} // namespace grapevine::report
