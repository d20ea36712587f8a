#include "record/dispersion.h"

#include "base/check.h"
#include "base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace grapevine::record {
namespace {

constexpr int kSizes[] = {1, 2, 3, 4, 5, 8, 97, 1008};

std::vector<double> random_values(int n, uint64_t seed) {
  Random random(seed, Purpose::kTest, static_cast<uint64_t>(n));
  std::vector<double> values(static_cast<size_t>(n));
  for (double& value : values)
    value = 0.5 + random.uniform();
  return values;
}

// The paper's four by name.
struct Dispersion {
  double gini;
  double index_of_dispersion;
  double coefficient_of_variation;
  double quartile_coefficient;
};

double by_name(const std::vector<double>& results, const std::string& name) {
  for (size_t i = 0; i < metric_table().size(); ++i) {
    if (metric_table()[i].name == name) return results[i];
  }
  throw std::out_of_range(name);
}

Dispersion dispersion(std::span<const double> values) {
  const std::vector<double> results = measure_all(values);
  return {
      by_name(results, "gini"),
      by_name(results, "index_of_dispersion"),
      by_name(results, "coefficient_of_variation"),
      by_name(results, "quartile_coefficient")};
}

// What holds for every metric of the table, later ones too.
TEST(Metrics, EveryOneHasANameAndWords) {
  std::set<std::string> names;
  for (const Metric& metric : metric_table()) {
    EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
    EXPECT_FALSE(metric.title.empty()) << metric.name;
    EXPECT_FALSE(metric.meaning.empty()) << metric.name;
  }
}

TEST(Metrics, EveryOneIsZeroForEqualsAndBlindToOrder) {
  for (const int n : kSizes) {
    const std::vector<double> equal(static_cast<size_t>(n), 0.7);
    for (const double result : measure_all(equal))
      EXPECT_EQ(result, 0);
    auto values = random_values(n, 8);
    const auto before = measure_all(values);
    std::ranges::reverse(values);
    EXPECT_EQ(measure_all(values), before);
  }
}

void expect_zero(const Dispersion& d) {
  EXPECT_EQ(d.gini, 0);
  EXPECT_EQ(d.index_of_dispersion, 0);
  EXPECT_EQ(d.coefficient_of_variation, 0);
  EXPECT_EQ(d.quartile_coefficient, 0);
}

// O(n^2), straight from the definition.
double gini_by_definition(const std::vector<double>& values) {
  double differences = 0;
  double sum = 0;
  for (const double a : values) {
    sum += a;
    for (const double b : values)
      differences += std::abs(a - b);
  }
  const auto n = static_cast<double>(values.size());
  return differences / (2 * n * sum);
}

TEST(Dispersion, OneToFour) {
  const Dispersion d = dispersion(std::vector<double>{1, 2, 3, 4});
  EXPECT_DOUBLE_EQ(d.gini, 0.25);
  EXPECT_DOUBLE_EQ(d.index_of_dispersion, 0.5);
  EXPECT_NEAR(d.coefficient_of_variation, 0.447214, 5e-7);
  EXPECT_DOUBLE_EQ(d.quartile_coefficient, 0.3);
}

TEST(Dispersion, OneHasAll) {
  // Gini (n-1)/n; variance 1/4 - 1/16 = 3/16; quartiles 0 and 1/4.
  const Dispersion d = dispersion(std::vector<double>{0, 0, 0, 1});
  EXPECT_DOUBLE_EQ(d.gini, 0.75);
  EXPECT_DOUBLE_EQ(d.index_of_dispersion, 0.75);
  EXPECT_DOUBLE_EQ(d.coefficient_of_variation, std::sqrt(3.0));
  EXPECT_DOUBLE_EQ(d.quartile_coefficient, 1);
}

TEST(Dispersion, GiniFollowsItsDefinition) {
  for (const int n : kSizes) {
    const auto values = random_values(n, 1);
    EXPECT_NEAR(dispersion(values).gini, gini_by_definition(values), 1e-14);
  }
}

TEST(Dispersion, EqualValuesGiveExactlyZero) {
  for (const int n : kSizes) {
    for (const double value : {0.0, 0.1, 1.0 / 3, 1e-300, 1e300}) {
      const std::vector<double> values(static_cast<size_t>(n), value);
      expect_zero(dispersion(values));
    }
  }
}

TEST(Dispersion, NearlyEqualNormsDoNotCancel) {
  // 1 and 1 + 2^-40: Gini = d / (4 (1 + d/2)), sd = d/2.
  const double d = std::ldexp(1.0, -40);
  const Dispersion result = dispersion(std::vector<double>{1, 1 + d});
  EXPECT_DOUBLE_EQ(result.gini, d / 4 / (1 + d / 2));
  EXPECT_DOUBLE_EQ(result.coefficient_of_variation, d / 2 / (1 + d / 2));
}

TEST(Dispersion, OrderDoesNotMatter) {
  for (const int n : kSizes) {
    auto values = random_values(n, 2);
    const Dispersion before = dispersion(values);
    Random random(3, Purpose::kTest);
    random.shuffle(std::span(values));
    const Dispersion after = dispersion(values);
    EXPECT_EQ(before.gini, after.gini);
    EXPECT_EQ(before.index_of_dispersion, after.index_of_dispersion);
    EXPECT_EQ(before.coefficient_of_variation, after.coefficient_of_variation);
    EXPECT_EQ(before.quartile_coefficient, after.quartile_coefficient);
  }
}

TEST(Dispersion, ScaleDoesNotMatterButToTheIndex) {
  for (const int n : kSizes) {
    const auto values = random_values(n, 4);
    const Dispersion before = dispersion(values);
    for (const double scale : {1e-3, 3.0, 1e6}) {
      auto scaled = values;
      for (double& value : scaled)
        value *= scale;
      const Dispersion after = dispersion(scaled);
      EXPECT_NEAR(after.gini, before.gini, 1e-13);
      EXPECT_NEAR(
          after.coefficient_of_variation,
          before.coefficient_of_variation,
          1e-13);
      EXPECT_NEAR(
          after.quartile_coefficient,
          before.quartile_coefficient,
          1e-13);
      EXPECT_NEAR(
          after.index_of_dispersion,
          before.index_of_dispersion * scale,
          1e-13 * scale);
    }
  }
}

TEST(Dispersion, BoundsOfPositiveValues) {
  for (const int n : kSizes) {
    const Dispersion d = dispersion(random_values(n, 5));
    EXPECT_GE(d.gini, 0);
    EXPECT_LE(d.gini, 1 - 1.0 / n + 1e-15);
    EXPECT_GE(d.quartile_coefficient, 0);
    EXPECT_LE(d.quartile_coefficient, 1);
  }
}

TEST(Dispersion, WhatIsNotFiniteIsNan) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const double bad : {std::nan(""), inf, -inf}) {
    for (const auto& values :
         {std::vector<double>{1, bad, 2}, std::vector<double>{bad, bad}}) {
      const Dispersion d = dispersion(values);
      EXPECT_TRUE(std::isnan(d.gini));
      EXPECT_TRUE(std::isnan(d.index_of_dispersion));
      EXPECT_TRUE(std::isnan(d.coefficient_of_variation));
      EXPECT_TRUE(std::isnan(d.quartile_coefficient));
    }
  }
  // Mean 0, then quartiles that are both 0, then an overflow.
  EXPECT_TRUE(std::isnan(dispersion(std::vector<double>{-1, 1}).gini));
  const Dispersion d = dispersion(std::vector<double>{0, 0, 0, 0, 1});
  EXPECT_TRUE(std::isnan(d.quartile_coefficient));
  EXPECT_DOUBLE_EQ(d.gini, 0.8);
  const Dispersion huge = dispersion(std::vector<double>{1e300, 1.5e300});
  EXPECT_TRUE(std::isnan(huge.index_of_dispersion));
  EXPECT_DOUBLE_EQ(huge.gini, 0.1);
}

TEST(Dispersion, NoValuesIsABug) {
  EXPECT_THROW(dispersion({}), CheckFailure);
  EXPECT_THROW(quantile_type7({}, 0.5), CheckFailure);
}

TEST(Quantile, Type7) {
  const std::vector<double> four = {1, 2, 3, 4};
  EXPECT_EQ(quantile_type7(four, 0), 1);
  EXPECT_EQ(quantile_type7(four, 0.25), 1.75);
  EXPECT_EQ(quantile_type7(four, 0.5), 2.5);
  EXPECT_EQ(quantile_type7(four, 0.75), 3.25);
  EXPECT_EQ(quantile_type7(four, 1), 4);
  const std::vector<double> five = {1, 2, 4, 8, 16};
  EXPECT_EQ(quantile_type7(five, 0.25), 2);
  EXPECT_EQ(quantile_type7(five, 0.75), 8);
  EXPECT_EQ(quantile_type7(std::vector<double>{7}, 0.3), 7);
  EXPECT_THROW(quantile_type7(four, 1.5), CheckFailure);
  EXPECT_THROW(quantile_type7(four, -0.5), CheckFailure);
}

} // namespace
} // namespace grapevine::record
