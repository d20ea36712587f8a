#include "graph/mixing.h"

#include "base/check.h"
#include "test_graphs.h"

#include <set>

namespace grapevine::graph {
namespace {

using Form = Mixing::Form;
using Ranks = std::vector<int>;

TEST(Mixing, LatticeRowsGoRoundTheRingInOrder) {
  const auto w = Mixing::lattice(8, 4);
  EXPECT_EQ(w.form(), Form::kLattice);
  EXPECT_EQ(w.k(), 4);
  EXPECT_EQ(ranks_of(w.row(0)), (Ranks{6, 7, 0, 1, 2}));
  EXPECT_EQ(ranks_of(w.row(7)), (Ranks{5, 6, 7, 0, 1}));
  EXPECT_EQ(w.receivers(0), (Ranks{1, 2, 6, 7}));
  for (const Term& term : w.row(3))
    EXPECT_EQ(term.weight, 1.0 / 5);
}

TEST(Mixing, LatticeIsCompleteOnlyFromKEqualsNMinusOne) {
  for (int n = 1; n <= 12; ++n) {
    for (int k = 0; k <= n + 2; k += 2) {
      const auto w = Mixing::lattice(n, k);
      EXPECT_EQ(w.form(), k >= n - 1 ? Form::kComplete : Form::kLattice);
      EXPECT_EQ(w.degree(), std::min(k, n - 1));
    }
  }
  EXPECT_EQ(Mixing::lattice(6, 5).form(), Form::kComplete);
  EXPECT_THROW(Mixing::lattice(6, 3), CheckFailure);
}

TEST(Mixing, LatticeWithoutNeighboursIsTheIdentity) {
  const auto w = Mixing::lattice(5, 0);
  EXPECT_EQ(w.row(3), (std::vector<Term>{{3, 1.0}}));
  EXPECT_TRUE(w.receivers(3).empty());
}

TEST(Mixing, SparseRowsAreByRankWithTheWorkerAtItsPlace) {
  const auto w = Mixing::uniform({{3, 1}, {0, 2}, {3, 1}, {2, 0}});
  EXPECT_EQ(w.form(), Form::kSparse);
  EXPECT_EQ(ranks_of(w.row(0)), (Ranks{0, 1, 3}));
  EXPECT_EQ(ranks_of(w.row(2)), (Ranks{1, 2, 3}));
  EXPECT_TRUE(w.is_uniform());
  EXPECT_TRUE(w.is_symmetric());
}

TEST(Mixing, DirectedRowsAndReceiversAreTransposed) {
  const auto w = Mixing::uniform({{1}, {2}, {0}});
  EXPECT_EQ(ranks_of(w.row(0)), (Ranks{0, 1}));
  EXPECT_EQ(w.receivers(0), (Ranks{2}));
  EXPECT_FALSE(w.is_symmetric());
}

TEST(Mixing, RowsThatHoldEverybodyAreComplete) {
  EXPECT_EQ(Mixing::uniform({{1, 2}, {0, 2}, {0, 1}}).form(), Form::kComplete);
  EXPECT_EQ(Mixing::metropolis({{1}, {0}}).form(), Form::kComplete);
  EXPECT_EQ(Mixing::groups(3, {{2, 0, 1}}).form(), Form::kComplete);
  EXPECT_EQ(Mixing::uniform({{}}).form(), Form::kComplete);
}

TEST(Mixing, MetropolisWeightsOfAPath) {
  // 0 - 1 - 2: the middle has degree 2, so both edges weigh 1/3.
  const auto w = Mixing::metropolis({{1}, {0, 2}, {1}});
  EXPECT_EQ(ranks_of(w.row(0)), (Ranks{0, 1}));
  EXPECT_DOUBLE_EQ(w.row(0)[0].weight, 2.0 / 3);
  EXPECT_DOUBLE_EQ(w.row(0)[1].weight, 1.0 / 3);
  EXPECT_DOUBLE_EQ(w.row(1)[1].weight, 1.0 / 3);
  EXPECT_FALSE(w.is_uniform());
  EXPECT_EQ(w.degree(), 2);
  EXPECT_EQ(w.degree(0), 1);
}

TEST(Mixing, GroupsAreSortedAndFound) {
  const auto w = Mixing::groups(5, {{4, 2}, {3}, {1, 0}});
  EXPECT_EQ(w.form(), Form::kGroups);
  EXPECT_EQ(w.group_list(), (std::vector<Ranks>{{0, 1}, {2, 4}, {3}}));
  EXPECT_EQ(w.group_of(4), 1);
  EXPECT_EQ(w.row(4), (std::vector<Term>{{2, 0.5}, {4, 0.5}}));
  EXPECT_EQ(w.row(3), (std::vector<Term>{{3, 1.0}}));
  EXPECT_EQ(w.receivers(2), (Ranks{4}));
  EXPECT_TRUE(w.is_uniform());
}

TEST(Mixing, WhatIsNotDoublyStochasticIsRefused) {
  EXPECT_THROW(Mixing::uniform({{1}, {0, 2}, {1}}), CheckFailure);
  EXPECT_THROW(Mixing::uniform({{1}, {0}, {0}}), CheckFailure);
  EXPECT_THROW(Mixing::uniform({{0}, {1}}), CheckFailure);
  EXPECT_THROW(Mixing::uniform({{1, 1}, {0, 0}}), CheckFailure);
  EXPECT_THROW(Mixing::uniform({{2}, {0}}), CheckFailure);
  EXPECT_THROW(Mixing::metropolis({{1}, {2}, {0}}), CheckFailure);
  EXPECT_THROW(Mixing::groups(3, {{0, 1}}), CheckFailure);
  EXPECT_THROW(Mixing::groups(3, {{0, 1}, {1, 2}}), CheckFailure);
  EXPECT_THROW(Mixing::groups(3, {{0, 1}, {2}, {}}), CheckFailure);
  EXPECT_THROW(Mixing::groups(2, {{0, 1, 2}}), CheckFailure);
}

TEST(Mixing, DigestsTellMatricesApart) {
  const std::vector<Mixing> all = {
      Mixing::complete(8),
      Mixing::complete(9),
      Mixing::lattice(8, 0),
      Mixing::lattice(8, 2),
      Mixing::lattice(8, 4),
      Mixing::lattice(9, 4),
      Mixing::groups(4, {{0, 1}, {2, 3}}),
      Mixing::groups(4, {{0, 2}, {1, 3}}),
      Mixing::groups(4, {{0, 1, 2}, {3}}),
      Mixing::uniform({{1}, {2}, {0}}),
      Mixing::uniform({{2}, {0}, {1}}),
      Mixing::metropolis({{1}, {0, 2}, {1}}),
      Mixing::metropolis({{1, 2}, {0}, {0}}),
  };
  std::set<uint64_t> digests;
  for (const auto& mixing : all)
    digests.insert(mixing.digest());
  EXPECT_EQ(digests.size(), all.size());
}

TEST(Mixing, DigestsDoNotDependOnTheOrderOfConstruction) {
  EXPECT_EQ(
      Mixing::groups(4, {{3, 2}, {1, 0}}).digest(),
      Mixing::groups(4, {{0, 1}, {2, 3}}).digest());
  EXPECT_EQ(
      Mixing::uniform({{3, 1}, {0, 2}, {1, 3}, {2, 0}}).digest(),
      Mixing::uniform({{1, 3}, {2, 0}, {3, 1}, {0, 2}}).digest());
}

} // namespace
} // namespace grapevine::graph
