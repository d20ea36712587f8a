#include "report/statistics.h"
#include "base/check.h"
#include "base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
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

TEST(Ranks, EqualValuesShareTheirMean) {
  EXPECT_EQ(ranks(Values{10, 20, 20, 30}), (Values{1, 2.5, 2.5, 4}));
  EXPECT_EQ(ranks(Values{5, 5, 5}), (Values{2, 2, 2}));
  EXPECT_EQ(ranks(Values{3, 1, 2}), (Values{3, 1, 2}));
  EXPECT_TRUE(ranks(Values{}).empty());
}

// No ties: 1 - 6 * 194 / (10 * 99) = -29/165.
TEST(Spearman, ByTheFormulaWithoutTies) {
  const Values x = {106, 100, 86, 101, 99, 103, 97, 113, 112, 110};
  const Values y = {7, 27, 2, 50, 28, 29, 20, 12, 6, 17};
  EXPECT_NEAR(spearman(x, y), -29.0 / 165, 1e-14);
}

// Ranks 1 2.5 2.5 4 and 1 3 2 4: 4.5 / sqrt(4.5 * 5).
TEST(Spearman, ByHandWithTies) {
  EXPECT_NEAR(
      spearman(Values{1, 2, 2, 3}, Values{1, 3, 2, 4}),
      4.5 / std::sqrt(22.5),
      1e-14);
}

TEST(Spearman, PerfectOrderIsOne) {
  EXPECT_DOUBLE_EQ(spearman(Values{1, 2, 9}, Values{-5, 0, 0.1}), 1);
  EXPECT_DOUBLE_EQ(spearman(Values{1, 2, 9}, Values{3, 2, 1}), -1);
}

TEST(Spearman, UndefinedWhereNothingVaries) {
  EXPECT_TRUE(std::isnan(spearman(Values{1, 1, 1}, Values{1, 2, 3})));
  EXPECT_TRUE(std::isnan(spearman(Values{1, 2, 3}, Values{4, 4, 4})));
  EXPECT_TRUE(std::isnan(spearman(Values{1}, Values{1})));
  EXPECT_TRUE(std::isnan(spearman(Values{}, Values{})));
}

TEST(Spearman, LengthsMustAgree) {
  EXPECT_THROW(spearman(Values{1, 2}, Values{1}), CheckFailure);
}

class SpearmanProperties : public testing::TestWithParam<int> {
 protected:
  // Few different values, so that there are ties.
  Values draw(int count) {
    Values values;
    for (int i = 0; i < count; ++i)
      values.push_back(static_cast<double>(random_.below(7)));
    return values;
  }
  Random random_{static_cast<uint64_t>(GetParam()), Purpose::kTest};
};

TEST_P(SpearmanProperties, OnlyTheOrderMatters) {
  const Values x = draw(20);
  const Values y = draw(20);
  Values grown;
  for (const double value : x)
    grown.push_back(std::exp(3 * value) + 5);
  const double rho = spearman(x, y);
  EXPECT_NEAR(spearman(grown, y), rho, 1e-14);
  EXPECT_NEAR(spearman(y, x), rho, 1e-14);
  Values mirrored;
  for (const double value : x)
    mirrored.push_back(-value);
  EXPECT_NEAR(spearman(mirrored, y), -rho, 1e-14);
}

TEST_P(SpearmanProperties, TheOrderOfPairsDoesNot) {
  const Values x = draw(15);
  const Values y = draw(15);
  std::vector<int> order(15);
  for (int i = 0; i < 15; ++i)
    order[i] = i;
  random_.shuffle(std::span(order));
  Values other_x;
  Values other_y;
  for (const int i : order) {
    other_x.push_back(x[i]);
    other_y.push_back(y[i]);
  }
  EXPECT_NEAR(spearman(x, y), spearman(other_x, other_y), 1e-14);
}

INSTANTIATE_TEST_SUITE_P(Seeds, SpearmanProperties, testing::Range(1, 21));

// From printed tables of the distribution.
TEST(Student, QuantilesOfTheTables) {
  struct Entry {
    double p;
    double freedom;
    double t;
  };
  constexpr std::array kTable = {
      Entry{0.975, 1, 12.7062},
      Entry{0.975, 2, 4.30265},
      Entry{0.975, 3, 3.18245},
      Entry{0.975, 4, 2.77645},
      Entry{0.975, 5, 2.57058},
      Entry{0.975, 9, 2.26216},
      Entry{0.975, 10, 2.22814},
      Entry{0.975, 30, 2.04227},
      Entry{0.975, 100, 1.98397},
      Entry{0.95, 4, 2.13185},
      Entry{0.995, 9, 3.24984},
      Entry{0.9995, 2, 31.5991},
      Entry{0.75, 1, 1.0},
      Entry{0.975, 1e7, 1.95996},
  };
  for (const auto& [p, freedom, t] : kTable) {
    EXPECT_NEAR(student_quantile(p, freedom), t, 6e-6 * t)
        << p << " " << freedom;
    EXPECT_NEAR(student_quantile(1 - p, freedom), -t, 6e-6 * t);
  }
}

// With 1 and 2 degrees of freedom the distribution has a closed form.
TEST(Student, QuantileInvertsTheDistribution) {
  for (const double p : {0.001, 0.2, 0.5, 0.77, 0.999}) {
    const double one = student_quantile(p, 1);
    EXPECT_NEAR(0.5 + std::atan(one) / M_PI, p, 1e-12);
    const double two = student_quantile(p, 2);
    EXPECT_NEAR(0.5 + two / (2 * std::sqrt(2 + two * two)), p, 1e-12);
  }
  EXPECT_THROW(student_quantile(0, 3), CheckFailure);
  EXPECT_THROW(student_quantile(1, 3), CheckFailure);
  EXPECT_THROW(student_quantile(0.5, 0), CheckFailure);
}

// 1, 2, 3: sd 1, so 2 +- 4.30265 / sqrt(3).
TEST(MeanIntervalTest, ByHand) {
  const MeanInterval result = mean_interval(std::vector<double>{1, 2, 3});
  EXPECT_EQ(result.mean, 2);
  EXPECT_EQ(result.count, 3);
  EXPECT_NEAR(result.interval.low, 2 - 2.484138, 1e-5);
  EXPECT_NEAR(result.interval.high, 2 + 2.484138, 1e-5);
}

TEST(MeanIntervalTest, NoneOfOneValue) {
  const MeanInterval one = mean_interval(std::vector<double>{5});
  EXPECT_EQ(one.mean, 5);
  EXPECT_FALSE(one.interval.exists());
  EXPECT_FALSE(mean_interval({}).interval.exists());
}

TEST(MeanIntervalTest, EqualValuesHaveAPoint) {
  const MeanInterval result = mean_interval(std::vector<double>{2, 2, 2});
  EXPECT_EQ(result.interval.low, 2);
  EXPECT_EQ(result.interval.high, 2);
}

// Seeds differ far more than the two do: pairing sees the difference.
TEST(PairedDifference, SeesThroughWhatSeedsShare) {
  const BySeed a = {{1, 10.1}, {2, 20.2}, {3, 30.0}};
  const BySeed b = {{1, 10.0}, {2, 20.0}, {3, 29.8}};
  const MeanInterval result = paired_difference(a, b);
  EXPECT_NEAR(result.mean, 0.5 / 3, 1e-12);
  EXPECT_TRUE(result.interval.excludes(0));
  const MeanInterval turned = paired_difference(b, a);
  EXPECT_NEAR(turned.interval.low, -result.interval.high, 1e-12);
}

TEST(PairedDifference, OnlySharedSeedsCount) {
  const BySeed a = {{1, 1}, {2, 2}, {3, 100}};
  const BySeed b = {{1, 0}, {2, 1}, {4, -100}};
  const MeanInterval result = paired_difference(a, b);
  EXPECT_EQ(result.mean, 1);
  EXPECT_EQ(result.count, 2);
  EXPECT_EQ(paired_difference(a, {}).count, 0);
}

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
