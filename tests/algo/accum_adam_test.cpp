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

// Parameters move every step; moments move with the window.
TEST(AccumAdam, MomentsAreCommittedOnceAWindow) {
  const Adam rule({.beta1 = 0.5, .beta2 = 0.75}, DecayForm::kL2, 4);
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

TEST(AccumAdam, NamesItsPlanesInCheckpoints) {
  EXPECT_EQ(
      make({}, 0)->state_planes(),
      (std::vector<std::string>{"exp_avg", "exp_avg_sq"}));
  EXPECT_EQ(
      make({}, 4)->state_planes(),
      (std::vector<std::string>{"exp_avg", "exp_avg_sq", "window_grad"}));
}

} // namespace
} // namespace grapevine::algo
