#include "algo/support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace grapevine::algo {
namespace {

// Computed from the formula, in double.
TEST(AccumAdam, FollowsTheOracles) {
  const std::vector<float> gradients = {1, -2, 0.5, 3, -1, 2};
  const std::vector<std::pair<int64_t, std::vector<double>>> oracles = {
      {0,
       {0.9900000000,
        0.9936505391,
        0.9950193845,
        0.9911051360,
        0.9892889613,
        0.9855228830}},
      {1,
       {0.9900000000,
        0.9936505391,
        0.9950193845,
        0.9911051360,
        0.9892889613,
        0.9855228830}},
      {2,
       {0.9900000000,
        1.0000000000,
        0.9994736842,
        0.9932626243,
        0.9927403114,
        0.9852864140}}};
  for (const auto& [window, expected] : oracles) {
    const auto rule = make({.beta1 = 0.9, .beta2 = 0.98, .eps = 1e-9}, window);
    tensor::Arena arena = make_arena({{1}}, *rule);
    arena.parameters()[0] = 1;
    for (int64_t step = 0; step < 6; ++step) {
      arena.gradients()[0] = gradients[step];
      rule->update(
          arena,
          {0, arena.layout().size()},
          {.step = step, .lr = 0.01},
          {},
          {});
      EXPECT_NEAR(arena.parameters()[0], expected[step], 1.5e-7)
          << "window " << window << ", step " << step;
    }
  }
}

TEST(AccumAdam, WithAWindowOfOneIsAdamBitForBit) {
  for (const DecayForm form : {DecayForm::kL2, DecayForm::kDecoupled}) {
    const AdamOptions options{.weight_decay = 0.1, .decay_form = form};
    const auto adam = make(options, 0);
    const auto accum = make(options, 1);
    EXPECT_EQ(adam->state_planes(), accum->state_planes());
    tensor::Arena one = make_arena(kShapes, *adam);
    tensor::Arena other = make_arena(kShapes, *accum);
    fill(one.layout(), one.parameters(), 1);
    fill(one.layout(), other.parameters(), 1);
    for (int64_t step = 0; step < 5; ++step) {
      fill(one.layout(), one.gradients(), 10 + step);
      fill(one.layout(), other.gradients(), 10 + step);
      const Range all{0, one.layout().size()};
      adam->update(one, all, {.step = step, .lr = 0.01}, {}, {});
      accum->update(other, all, {.step = step, .lr = 0.01}, {}, {});
      ASSERT_TRUE(std::ranges::equal(one.parameters(), other.parameters()));
    }
  }
}

// Parameters move every step; moments move with the window.
TEST(AccumAdam, MomentsAreCommittedOnceAWindow) {
  const AccumAdam rule({.beta1 = 0.5, .beta2 = 0.75}, 4);
  tensor::Arena arena = make_arena({{1}}, rule);
  const std::vector<float> gradients = {1, 2, 3, 6, 8, 0, 0, 0};
  for (int64_t step = 0; step < 8; ++step) {
    const float before = arena.parameters()[0];
    arena.gradients()[0] = gradients[step];
    rule.update(
        arena,
        {0, arena.layout().size()},
        {.step = step, .lr = 0.01},
        {},
        {});
    EXPECT_NE(arena.parameters()[0], before);
    const bool committed = step >= 3;
    const bool twice = step == 7;
    EXPECT_EQ(arena.state(0)[0], twice ? 1.75F : committed ? 1.5F : 0.0F);
    EXPECT_EQ(arena.state(1)[0], twice ? 2.6875F : committed ? 2.25F : 0.0F);
  }
}

TEST(AdamFamilyNames, OfRulesAndOfPlanesInCheckpoints) {
  const AdamOptions l2{.decay_form = DecayForm::kL2};
  const AdamOptions decoupled{.decay_form = DecayForm::kDecoupled};
  EXPECT_EQ(Adam(l2).name(), "adam");
  EXPECT_EQ(Adam(decoupled).name(), "adamw");
  EXPECT_EQ(AccumAdam(l2, 4).name(), "accumadam");
  EXPECT_EQ(AccumAdam(decoupled, 4).name(), "accumadamw");
  const std::vector<std::string> moments = {"exp_avg", "exp_avg_sq"};
  EXPECT_EQ(Adam(l2).state_planes(), moments);
  EXPECT_EQ(
      AccumAdam(decoupled, 4).state_planes(),
      (std::vector<std::string>{"exp_avg", "exp_avg_sq", "window_grad"}));
}

} // namespace
} // namespace grapevine::algo
