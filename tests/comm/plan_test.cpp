// Which plan is chosen, and what it costs.
#include "comm/support.h"

#include <gtest/gtest.h>

#include <bit>

namespace grapevine::comm {
namespace {

constexpr int64_t kLarge = 100'000'000;
constexpr int64_t kSmall = 10'000;

TEST(MakePlan, MovesALatticeInFourCopiesWhereBandwidthRules) {
  for (const int n : {13, 50, 96, 97, 1008}) {
    for (int k = 0; k <= n + 1; k += 2) {
      const auto plan = make_plan(graph::Mixing::lattice(n, k), kLarge);
      const double copies = plan->max_copies();
      EXPECT_LE(copies, 4) << n << ", " << k << ": " << plan->name();
      EXPECT_LE(copies, std::max(0, k));
    }
  }
}

TEST(MakePlan, SendsFewMessagesWhereLatencyRules) {
  const auto plan = make_plan(graph::Mixing::lattice(1008, 112), kSmall);
  EXPECT_EQ(plan->name(), "doubling");
  EXPECT_LE(plan->max_messages(), 10); // 113 = 64 + 32 + 16 + 1: 6 + 4
  for (const int n : {13, 50, 96, 97, 1008}) {
    for (int k = 2; k <= n - 2; k += 2) {
      const auto small = make_plan(graph::Mixing::lattice(n, k), kSmall);
      const auto m = static_cast<unsigned>(k + 1);
      const int bound = std::bit_width(m) - 1 + std::popcount(m);
      EXPECT_LE(small->max_messages(), std::min(k, bound)) << n << ", " << k;
    }
  }
}

TEST(MakePlan, ChoosesByForm) {
  using graph::Mixing;
  const auto name = [](const Mixing& mixing, int64_t bytes) {
    return make_plan(mixing, bytes)->name();
  };
  EXPECT_EQ(name(Mixing::complete(4), kLarge), "all-reduce");
  EXPECT_EQ(name(Mixing::complete(1), kLarge), "identity");
  EXPECT_EQ(name(Mixing::lattice(9, 0), kLarge), "identity");
  EXPECT_EQ(name(Mixing::lattice(9, 2), kLarge), "direct");
  EXPECT_EQ(name(Mixing::lattice(9, 2), kSmall), "direct");
  EXPECT_EQ(name(Mixing::lattice(1008, 112), kLarge), "block-scan");
  EXPECT_EQ(name(Mixing::groups(4, {{0, 1}, {2, 3}}), kLarge), "groups");
  EXPECT_EQ(name(Mixing::groups(2, {{0}, {1}}), kLarge), "identity");
  EXPECT_EQ(name(testing::star(5), kLarge), "direct");
}

TEST(MakePlan, CountsAsPromised) {
  using graph::Mixing;
  const auto all = make_plan(Mixing::complete(8), kLarge);
  EXPECT_EQ(all->max_messages(), 14);
  EXPECT_DOUBLE_EQ(all->max_copies(), 1.75);
  const auto pairs = make_plan(Mixing::groups(3, {{0, 2}, {1}}), kLarge);
  EXPECT_EQ(pairs->messages(0), 1);
  EXPECT_EQ(pairs->messages(1), 0);
  EXPECT_DOUBLE_EQ(pairs->max_copies(), 1);
  const auto hub = make_plan(testing::star(6), kLarge);
  EXPECT_EQ(hub->messages(0), 5);
  EXPECT_EQ(hub->messages(3), 1);
}

TEST(MakePlan, ClosedFormsAreThoseOfThePrograms) {
  for (const int n : {1, 2, 5, 8, 13}) {
    for (const testing::Case& it : testing::cases(n)) {
      for (int rank = 0; rank < n; ++rank) {
        double copies = 0;
        const Program program = it.plan->program(rank);
        for (const Send& send : program.sends)
          copies += 1.0 / send.piece.of;
        const int messages = static_cast<int>(program.sends.size());
        EXPECT_EQ(it.plan->messages(rank), messages) << it.name;
        EXPECT_NEAR(it.plan->copies(rank), copies, 1e-9) << it.name;
      }
    }
  }
}

TEST(MakePlan, IsQuickForThousands) {
  const auto all = make_plan(graph::Mixing::complete(4096), kLarge);
  EXPECT_EQ(all->max_messages(), 8190);
  EXPECT_LE(all->max_copies(), 2);
  const auto lattice = make_plan(graph::Mixing::lattice(4096, 2000), kLarge);
  EXPECT_LE(lattice->max_copies(), 4);
}

TEST(MakePlan, DescribesItself) {
  for (const testing::Case& it : testing::cases(8)) {
    EXPECT_EQ(it.plan->describe().find(it.plan->name() + ":"), 0u);
  }
}

TEST(Plan, IdsDiffer) {
  EXPECT_NE(make_all_reduce_plan(2)->id(), make_all_reduce_plan(2)->id());
}

} // namespace
} // namespace grapevine::comm
