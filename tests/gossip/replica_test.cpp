// What a replica promises: flow conserves x + y, averaging conserves the sum of
// the pair, and no update is lost, also while two threads are at it.
#include "gossip/replica.h"

#include "algo/rules.h"
#include "small_world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <thread>

namespace grapevine::gossip {
namespace {

constexpr int64_t kPieceBytes = 2 * tensor::kBlock * sizeof(float);

std::vector<double> sums(std::span<const float> a, std::span<const float> b) {
  std::vector<double> sum(a.size());
  for (size_t e = 0; e < a.size(); ++e)
    sum[e] = double{a[e]} + double{b[e]};
  return sum;
}

void expect_near(
    const std::vector<double>& a,
    const std::vector<double>& b,
    double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t e = 0; e < a.size(); ++e)
    ASSERT_NEAR(a[e], b[e], tolerance) << e;
}

TEST(Replica, FlowConservesTheSumWithTheCompanion) {
  auto arena = make_arena(1);
  Replica replica(*arena, {.eta = 0.4}, kPieceBytes);
  fill(replica.y(), 2);
  const auto before = sums(replica.x(), replica.y());
  const std::vector<float> old_x(replica.x().begin(), replica.x().end());
  replica.set_dynamics({.eta = 0.4}, 0.7);
  expect_near(sums(replica.x(), replica.y()), before, 1e-6);
  EXPECT_NE(old_x, std::vector<float>(replica.x().begin(), replica.x().end()));
  EXPECT_EQ(replica.flowed(), 0.7);
  // The rest of the way in two steps is the way in one.
  replica.set_dynamics({.eta = 0.4}, 1.0);
  std::vector<float> out(replica.x().size());
  replica.copy_to(2.0, out);
  const double share = flow_share({.eta = 0.4}, 2.0);
  for (size_t e = 0; e < out.size(); ++e) {
    const double y = before[e] - old_x[e];
    EXPECT_NEAR(out[e], old_x[e] + share * (y - old_x[e]), 1e-5);
  }
}

TEST(Replica, ReadingChangesNothing) {
  auto arena = make_arena(1);
  Replica replica(*arena, {.eta = 0.4}, kPieceBytes);
  fill(replica.y(), 2);
  const std::vector<float> x(replica.x().begin(), replica.x().end());
  const std::vector<float> y(replica.y().begin(), replica.y().end());
  std::vector<float> out(x.size());
  replica.copy_to(0.7, out);
  EXPECT_NE(out, x);
  EXPECT_TRUE(std::ranges::equal(replica.x(), x));
  EXPECT_TRUE(std::ranges::equal(replica.y(), y));
  EXPECT_EQ(replica.flowed(), 0);
}

// Up to the change by the old constants, from there on by the new ones.
TEST(Replica, TakesOtherConstants) {
  auto arena = make_arena(1);
  Replica replica(*arena, {.eta = 0.4}, kPieceBytes);
  fill(replica.y(), 2);
  const std::vector<float> x(replica.x().begin(), replica.x().end());
  const std::vector<float> y(replica.y().begin(), replica.y().end());
  replica.set_dynamics({.eta = 0.1}, 2);
  std::vector<float> out(x.size());
  replica.copy_to(5, out);
  // Shares of what is left of the way to the mean.
  const double rest = (1 - 2 * flow_share({.eta = 0.4}, 2)) *
                      (1 - 2 * flow_share({.eta = 0.1}, 3));
  for (size_t e = 0; e < x.size(); ++e) {
    const double mean = (double{x[e]} + double{y[e]}) / 2;
    EXPECT_NEAR(out[e], mean + rest * (x[e] - mean), 1e-5);
  }
}

TEST(Replica, PullConservesTheSumOfThePair) {
  auto one = make_arena(1);
  auto two = make_arena(2);
  Replica a(*one, {.eta = 0.2, .alpha_y = 1.8}, kPieceBytes);
  Replica b(*two, {.eta = 0.2, .alpha_y = 1.8}, kPieceBytes);
  const auto before = sums(a.x(), b.x());
  std::vector<float> mine(a.x().size());
  std::vector<float> theirs(a.x().size());
  a.copy_to(0, mine);
  b.copy_to(0, theirs);
  pull_all(a, 0, mine, theirs);
  pull_all(b, 0, theirs, mine);
  expect_near(sums(a.x(), b.x()), before, 1e-6);
  for (size_t e = 0; e < mine.size(); ++e)
    EXPECT_NEAR(a.x()[e], before[e] / 2, 1e-6);
}

TEST(Replica, MovesAsTheLocalRuleDoes) {
  const auto rule = algo::make_rule({.name = "sgd", .weight_decay = 0.1});
  auto gossiped = make_arena(3, 1);
  auto plain = make_arena(3, 1);
  Replica replica(*gossiped, {.eta = 0.3, .alpha_y = 2}, kPieceBytes);
  for (int step = 0; step < 5; ++step) {
    const algo::StepInfo info{.step = step, .lr = 0.1};
    for (tensor::Arena* arena : {gossiped.get(), plain.get()})
      fill(arena->gradients(), 10 + step);
    rule->update(*plain, {0, plain->layout().size()}, info, {}, {});
    replica.move(*rule, info, step);
  }
  for (size_t e = 0; e < plain->parameters().size(); ++e) {
    EXPECT_NEAR(replica.x()[e], plain->parameters()[e], 1e-5);
    EXPECT_NEAR(replica.y()[e], plain->parameters()[e], 1e-5);
    EXPECT_EQ(replica.x()[e], gossiped->parameters()[e]);
  }
}

TEST(Replica, WithoutFlowIsTheBaselineBitForBit) {
  const auto rule = algo::make_rule({.name = "adam"});
  auto one = make_arena(4, 2);
  auto two = make_arena(4, 2);
  Replica plain(*one, plain_dynamics(), kPieceBytes);
  // A companion with a pull of its own, but no way to x.
  Replica idle(*two, {.eta = 1e-300, .alpha_y = 3}, kPieceBytes);
  ASSERT_FALSE(idle.y().empty());
  std::vector<float> mine(plain.x().size());
  std::vector<float> theirs(plain.x().size());
  fill(theirs, 5);
  for (int step = 0; step < 4; ++step) {
    for (Replica* replica : {&plain, &idle}) {
      tensor::Arena& arena = replica == &plain ? *one : *two;
      replica->copy_to(step, mine);
      fill(arena.gradients(), 20 + step);
      replica->move(*rule, {.step = step, .lr = 0.01}, step + 0.5);
      pull_all(*replica, step + 0.6, mine, theirs);
    }
  }
  for (size_t e = 0; e < mine.size(); ++e)
    ASSERT_EQ(plain.x()[e], idle.x()[e]);
}

// Two workers, each with a thread that moves and one that averages with the
// other: what their sum gains is what the moves have added, to rounding.
TEST(Replica, LosesNoUpdateUnderConcurrency) {
  constexpr int kMoves = 200;
  constexpr int kAveragings = 300;
  const auto rule = algo::make_rule({.name = "sgd", .momentum = 0});
  auto one = make_arena(6);
  auto two = make_arena(7);
  Replica a(*one, {.eta = 0.2, .alpha_y = 0.9}, kPieceBytes);
  Replica b(*two, {.eta = 0.2, .alpha_y = 0.9}, kPieceBytes);
  fill(one->gradients(), 8);
  fill(two->gradients(), 9);
  // All of x and y: flow moves between them, pulls between the workers.
  const auto all = [&] {
    std::vector<double> total = sums(a.x(), b.x());
    const std::vector<double> y = sums(a.y(), b.y());
    for (size_t e = 0; e < total.size(); ++e)
      total[e] += y[e];
    return total;
  };
  const auto before = all();
  const auto move = [&](Replica& replica) {
    for (int i = 0; i < kMoves; ++i)
      replica.move(*rule, {.step = i, .lr = 1e-3}, 0.01 * i);
  };
  std::jthread moves_a([&] { move(a); });
  std::jthread moves_b([&] { move(b); });
  std::vector<float> mine(a.x().size());
  std::vector<float> theirs(a.x().size());
  for (int i = 0; i < kAveragings; ++i) {
    a.copy_to(0.01 * i, mine);
    b.copy_to(0.01 * i, theirs);
    pull_all(a, 0.01 * i, mine, theirs);
    pull_all(b, 0.01 * i, theirs, mine);
  }
  moves_a.join();
  moves_b.join();
  const auto after = all();
  for (size_t e = 0; e < before.size(); ++e) {
    const double moved =
        -1e-3 * kMoves * (double{one->gradients()[e]} + two->gradients()[e]);
    ASSERT_NEAR(after[e] - before[e], 2 * moved, 2e-3) << e;
  }
}

} // namespace
} // namespace grapevine::gossip
