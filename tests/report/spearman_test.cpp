#include "report/spearman.h"
#include "base/check.h"
#include "base/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <vector>

namespace grapevine::report {
namespace {

using Values = std::vector<double>;

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

} // namespace
} // namespace grapevine::report
