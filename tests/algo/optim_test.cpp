#include "algo/lr_schedule.h"
#include "algo/sgd.h"
#include "base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace grapevine::algo {
namespace {

TEST(LearningRate, ThePilotsSchedule) {
  LrOptions options;
  options.lr = 0.02;
  options.decay = LrDecay::kCosine;
  options.scaling = LrScaling::kSqrt;
  options.warmup_steps = 19;
  options.total_steps = 152;
  options.batch = 32;
  options.workers = 96;
  const double peak = 0.02 * std::sqrt(32.0 * 96 / 256);
  EXPECT_NEAR(learning_rate(options, 0, 2), peak / 19, 1e-12);
  EXPECT_NEAR(learning_rate(options, 76, 2), peak * 0.5, 1e-12); // half-way
  EXPECT_LT(learning_rate(options, 151, 2), 0.001 * peak);
}

// The peak at the end of the warm-up, half of it at four times that step.
TEST(LearningRate, InverseSqrt) {
  LrOptions options;
  options.lr = 7e-4;
  options.decay = LrDecay::kInverseSqrt;
  options.warmup_steps = 4000;
  options.total_steps = 100000;
  EXPECT_NEAR(learning_rate(options, 0, 0), 7e-4 / 4000, 1e-15);
  EXPECT_NEAR(learning_rate(options, 3999, 0), 7e-4, 1e-15);
  EXPECT_NEAR(learning_rate(options, 15999, 0), 3.5e-4, 1e-15);
  options.warmup_steps = 0;
  EXPECT_NEAR(learning_rate(options, 3, 0), 3.5e-4, 1e-15);
}

TEST(LearningRate, CosineEndsAtItsShare) {
  LrOptions options;
  options.lr = 6e-4;
  options.decay = LrDecay::kCosine;
  options.end_share = 0.1;
  options.total_steps = 1000;
  EXPECT_NEAR(learning_rate(options, 0, 0), 6e-4, 1e-15);
  EXPECT_NEAR(learning_rate(options, 500, 0), 3.3e-4, 1e-12);
  EXPECT_NEAR(learning_rate(options, 1000, 0), 6e-5, 1e-12);
}

TEST(LearningRate, ScalingByDegree) {
  LrOptions options;
  options.lr = 1;
  options.batch = 64;
  options.workers = 100;
  options.scaling_by = LrScalingBy::kDegree;
  options.scaling = LrScaling::kLinear;
  EXPECT_DOUBLE_EQ(learning_rate(options, 0, 3), 1);
  options.scaling = LrScaling::kSqrt;
  EXPECT_DOUBLE_EQ(learning_rate(options, 0, 15), 2);
  options.scaling = LrScaling::kNone;
  EXPECT_DOUBLE_EQ(learning_rate(options, 0, 15), 1);
}

TEST(LearningRate, StepDecay) {
  LrOptions options;
  options.lr = 1;
  options.decay = LrDecay::kStep;
  options.total_steps = 100;
  EXPECT_DOUBLE_EQ(learning_rate(options, 49, 2), 1);
  EXPECT_DOUBLE_EQ(learning_rate(options, 50, 2), 0.1);
  EXPECT_NEAR(learning_rate(options, 75, 2), 0.01, 1e-15);
}

tensor::Arena noisy_arena() {
  tensor::Arena arena(
      std::make_shared<tensor::Layout>(std::vector<tensor::TensorEntry>{
          {.name = "w", .shape = {100, 99}},
          {.name = "b", .shape = {33}}}),
      std::make_shared<tensor::Layout>(),
      1);
  Random random(1, Purpose::kTest);
  for (const auto& tensor : arena.layout().tensors()) {
    for (int64_t i = tensor.offset; i < tensor.range().end; ++i) {
      arena.parameters()[i] = static_cast<float>(random.normal());
      arena.gradients()[i] = static_cast<float>(random.normal());
    }
  }
  return arena;
}

TEST(Sgd, AnyCutGivesTheSameBitsAndNorms) {
  const Sgd rule({.momentum = 0.9, .nesterov = true, .weight_decay = 0.01});
  tensor::Arena whole = noisy_arena();
  tensor::Arena cut = noisy_arena();
  std::vector<double> squares(whole.layout().blocks());
  std::vector<double> cut_squares(squares.size());
  for (int64_t step = 0; step < 3; ++step) {
    const StepInfo info{.step = step, .lr = 0.1};
    const int64_t size = whole.layout().size();
    rule.update(whole, {0, size}, info, {}, squares);
    for (int64_t begin = 0; begin < size; begin += tensor::kBlock) {
      rule.update(
          cut,
          {begin, std::min(begin + tensor::kBlock, size)},
          info,
          {},
          cut_squares);
    }
  }
  EXPECT_TRUE(std::ranges::equal(whole.parameters(), cut.parameters()));
  EXPECT_TRUE(std::ranges::equal(whole.state(0), cut.state(0)));
  EXPECT_EQ(squares, cut_squares);
}

TEST(Sgd, NormsAreThoseOfTheNewParameters) {
  const Sgd rule({.momentum = 0.9});
  tensor::Arena arena = noisy_arena();
  std::vector<double> squares(arena.layout().blocks());
  rule.update(arena, {0, arena.layout().size()}, {.lr = 0.1}, {}, squares);
  EXPECT_EQ(
      tensor::fold_blocks(arena.layout(), squares),
      tensor::squared_norms(arena.layout(), arena.parameters()));
}

TEST(Sgd, MixedNormsAreThoseOfTheOldParameters) {
  const Sgd rule({.momentum = 0.9});
  tensor::Arena arena = noisy_arena();
  const auto old = tensor::squared_norms(arena.layout(), arena.parameters());
  const std::vector<float> inbox(arena.layout().size(), 1.0F);
  const float* terms[] = {inbox.data(), arena.parameters().data()};
  const float weights[] = {0.25F, 0.75F};
  const float x = arena.parameters()[7];
  const float g = arena.gradients()[7];
  std::vector<double> squares(arena.layout().blocks());
  rule.update(
      arena,
      {0, arena.layout().size()},
      {.lr = 0.1},
      {.terms = terms, .weights = weights},
      squares);
  EXPECT_EQ(tensor::fold_blocks(arena.layout(), squares), old);
  EXPECT_EQ(
      arena.parameters()[7],
      std::fma(g, -0.1F, 0.25F * 1.0F + 0.75F * x));
}

TEST(Sgd, BiasesAreExemptFromDecayUnlessAsked) {
  for (const bool everything : {false, true}) {
    const Sgd rule(
        {.momentum = 0, .weight_decay = 0.5, .decay_everything = everything});
    tensor::Arena arena = noisy_arena();
    arena.clear_gradients();
    const int64_t bias = arena.layout().tensors()[1].offset;
    const float w = arena.parameters()[0];
    const float b = arena.parameters()[bias];
    rule.update(arena, {0, arena.layout().size()}, {.lr = 0.1}, {}, {});
    EXPECT_NEAR(arena.parameters()[0], w * 0.95, 1e-6);
    EXPECT_NEAR(arena.parameters()[bias], everything ? b * 0.95 : b, 1e-6);
  }
}

TEST(Sgd, NoMomentumNeedsNoState) {
  EXPECT_TRUE(Sgd({.momentum = 0}).state_planes().empty());
  EXPECT_EQ(Sgd({.momentum = 0.9}).state_planes().size(), 1U);
}

} // namespace
} // namespace grapevine::algo
