#include "report/student.h"
#include "base/check.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

namespace grapevine::report {
namespace {

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

// With 1 and 2 degrees there are closed forms.
TEST(Student, DistributionInClosedForm) {
  for (const double t : {-20.0, -1.0, -0.1, 0.0, 0.3, 2.0, 50.0}) {
    EXPECT_NEAR(student_cdf(t, 1), 0.5 + std::atan(t) / M_PI, 1e-13) << t;
    EXPECT_NEAR(student_cdf(t, 2), 0.5 + t / (2 * std::sqrt(2 + t * t)), 1e-13)
        << t;
  }
}

TEST(Student, QuantileInvertsTheDistribution) {
  for (const double freedom : {1.0, 2.0, 7.0, 40.0, 500.0}) {
    for (const double p : {0.001, 0.2, 0.5, 0.77, 0.999}) {
      EXPECT_NEAR(student_cdf(student_quantile(p, freedom), freedom), p, 1e-12);
    }
  }
  EXPECT_THROW(student_quantile(0, 3), CheckFailure);
  EXPECT_THROW(student_quantile(1, 3), CheckFailure);
  EXPECT_THROW(student_cdf(1, 0), CheckFailure);
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

} // namespace
} // namespace grapevine::report
