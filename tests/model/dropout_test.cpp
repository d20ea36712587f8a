#include <grapevine/dropout.h>

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

namespace grapevine::model {
namespace {

const ChanceAddress kHere = {.seed = 3, .rank = 1, .step = 17};

TEST(Dropout, DropsItsShareAndKeepsTheMean) {
  constexpr int64_t kElements = 1 << 16;
  const auto ones = torch::ones({kElements});
  for (const double p : {0.1, 0.5, 0.9}) {
    const auto y = dropout(ones, p, kHere, 0);
    const double dropped =
        y.eq(0).sum().item<double>() / static_cast<double>(kElements);
    EXPECT_NEAR(dropped, p, 5 * std::sqrt(p * (1 - p) / kElements));
    EXPECT_EQ(y.max().item<float>(), static_cast<float>(1 / (1 - p)));
    // Neighbours, which share a number, do not depend on each other.
    const auto pairs = y.eq(0).view({-1, 2});
    const double both = pairs.all(1).sum().item<double>() / (kElements / 2);
    EXPECT_NEAR(both, p * p, 5 * std::sqrt(p * p / (kElements / 2)));
  }
  EXPECT_TRUE(dropout(ones, 0, kHere, 0).is_same(ones));
}

TEST(Dropout, IsItsAddress) {
  const auto ones = torch::ones({1001});
  const auto mask = [&](const ChanceAddress& address, uint64_t layer) {
    return dropout(ones, 0.5, address, layer);
  };
  const auto here = mask(kHere, 2);
  torch::manual_seed(1);
  EXPECT_TRUE(torch::equal(mask(kHere, 2), here));
  EXPECT_FALSE(torch::equal(mask(kHere, 3), here));
  for (const auto change :
       {+[](ChanceAddress& a) { ++a.seed; },
        +[](ChanceAddress& a) { ++a.rank; },
        +[](ChanceAddress& a) { ++a.step; },
        +[](ChanceAddress& a) { ++a.micro_batch; }}) {
    ChanceAddress there = kHere;
    change(there);
    EXPECT_FALSE(torch::equal(mask(there, 2), here));
  }
}

TEST(Dropout, LeavesTorchsGeneratorAndItsInputAlone) {
  torch::manual_seed(3);
  const auto expected = torch::rand({4});
  torch::manual_seed(3);
  const auto x = torch::ones({8});
  dropout(x, 0.5, kHere, 0);
  EXPECT_TRUE(torch::equal(torch::rand({4}), expected));
  EXPECT_TRUE(torch::equal(x, torch::ones({8})));
}

} // namespace
} // namespace grapevine::model
