// Which plan is chosen, and what it costs.
#include "mix/plan_support.h"

#include <gtest/gtest.h>

#include <bit>

namespace grapevine::mix {
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

TEST(MakePlan, GoesByNodesWhereAGroupHasSeveralWholeOnes) {
  using graph::Mixing;
  const auto name = [](const Mixing& mixing, int per_node) {
    return make_plan(mixing, kLarge, per_node)->name();
  };
  EXPECT_EQ(name(Mixing::complete(8), 1), "all-reduce");
  EXPECT_EQ(name(Mixing::complete(8), 2), "node-all-reduce");
  EXPECT_EQ(name(Mixing::complete(8), 8), "all-reduce");    // one node
  EXPECT_EQ(name(Mixing::complete(7), 2), "all-reduce");    // half a node
  EXPECT_EQ(name(Mixing::complete(1000), 2), "all-reduce"); // too many nodes
  const auto aer = Mixing::groups(8, {{0, 1}, {2, 3}, {4, 5, 6, 7}});
  EXPECT_EQ(name(aer, 2), "node-groups");
  EXPECT_EQ(name(aer, 4), "groups");
  EXPECT_EQ(name(Mixing::groups(4, {{0, 1}, {2, 3}}), 2), "groups");
  EXPECT_EQ(name(Mixing::groups(6, {{0, 2, 3, 5}, {1, 4}}), 2), "groups");
}

TEST(MakePlan, NodesSendWhatTheyKnowOnce) {
  using graph::Mixing;
  for (const int per_node : {2, 3, 4, 8}) {
    const auto copies = [&](const Mixing& mixing, int plan_nodes) {
      return make_plan(mixing, kLarge, plan_nodes)->max_node_copies(per_node);
    };
    const auto pair = Mixing::complete(2 * per_node);
    EXPECT_DOUBLE_EQ(copies(pair, 1), per_node);
    EXPECT_DOUBLE_EQ(copies(pair, per_node), 1);
    const auto many = Mixing::complete(5 * per_node);
    EXPECT_DOUBLE_EQ(copies(many, 1), 1.6 * per_node);
    EXPECT_DOUBLE_EQ(copies(many, per_node), 1.6);
    // In all, as much as before.
    EXPECT_DOUBLE_EQ(
        make_plan(many, kLarge, per_node)->max_copies(),
        make_plan(many, kLarge)->max_copies());
  }
  const auto ring = make_plan(Mixing::lattice(8, 2), kLarge);
  EXPECT_DOUBLE_EQ(ring->max_node_copies(4), 2);
}

TEST(Plan, CountsWhatItsProgramsSend) {
  for (const int n : {1, 2, 5, 8, 12, 13}) {
    for (const testing::Case& it : testing::cases(n)) {
      for (const int per_node : {1, 2, 3, 4}) {
        SCOPED_TRACE(fmt::format("{}, nodes of {}", it.name, per_node));
        std::vector<int> messages(n);
        std::vector<double> expected((n + per_node - 1) / per_node);
        for (int rank = 0; rank < n; ++rank) {
          for (const Send& send : it.plan->program(rank).sends) {
            ++messages[rank];
            if (send.peer / per_node == rank / per_node) continue;
            expected[rank / per_node] += 1.0 / send.piece.of;
          }
          EXPECT_EQ(it.plan->messages(rank), messages[rank]);
        }
        const auto copies = it.plan->node_copies(per_node);
        ASSERT_EQ(copies.size(), expected.size());
        for (size_t a = 0; a < copies.size(); ++a) {
          EXPECT_NEAR(copies[a], expected[a], 1e-9);
        }
        for (int rank = 0; per_node == 1 && rank < n; ++rank) {
          EXPECT_NEAR(it.plan->copies(rank), copies[rank], 1e-9);
        }
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
} // namespace grapevine::mix
