// Every graph over many n: doubly stochastic, connected, symmetric where due,
// with the degree of its definition.
#include "graph/graphs.h"
#include "test_graphs.h"

#include <algorithm>
#include <bit>

namespace grapevine::graph {
namespace {

using Form = Mixing::Form;
using Ranks = std::vector<int>;

std::vector<int> sizes() {
  std::vector<int> list;
  for (int n = 1; n <= 20; ++n)
    list.push_back(n);
  list.insert(list.end(), {31, 32, 48, 96, 97, 1008});
  return list;
}

bool is_power(int n) {
  return std::has_single_bit(unsigned(n));
}

// All graphs that the definition allows at this n.
std::vector<GraphOptions> allowed(int n) {
  std::vector<GraphOptions> list = {
      {.name = "ring", .n = n},
      {.name = "torus", .n = n},
      {.name = "torus", .n = n, .rows = 1},
      {.name = "exponential", .n = n},
      {.name = "complete", .n = n},
      {.name = "lattice", .n = n},
      {.name = "star", .n = n},
      {.name = "circulant", .n = n},
      {.name = "random-regular", .n = n, .seed = 7},
      {.name = "random-matching", .n = n, .seed = 7},
      {.name = "one-peer-ring", .n = n},
      {.name = "one-peer-exponential", .n = n},
      {.name = "aer", .n = n},
      {.name = "aer", .n = n, .workers_per_node = n},
      {.name = "ada", .n = n, .epochs = 5},
  };
  for (int k = 2; k <= std::min(n - 1, 20); k += 2) {
    list.push_back({.name = "lattice", .n = n, .k = k});
    list.push_back({.name = "random-regular", .n = n, .k = k});
  }
  if (is_power(n)) list.push_back({.name = "hypercube", .n = n});
  for (const int per_node : {2, 3, 4}) {
    if (per_node > n) continue;
    list.push_back({.name = "aer", .n = n, .workers_per_node = per_node});
  }
  return list;
}

void expect_doubly_stochastic(const Mixing& w) {
  std::vector<double> columns(w.n());
  for (int i = 0; i < w.n(); ++i) {
    double sum = 0;
    Ranks ranks;
    for (const Term& term : w.row(i)) {
      EXPECT_GT(term.weight, 0);
      sum += term.weight;
      columns[term.rank] += term.weight;
      ranks.push_back(term.rank);
    }
    ASSERT_NEAR(sum, 1, 1e-12);
    ASSERT_EQ(static_cast<int>(ranks.size()), w.degree(i) + 1);
    std::sort(ranks.begin(), ranks.end());
    ASSERT_EQ(std::unique(ranks.begin(), ranks.end()), ranks.end());
    ASSERT_TRUE(std::binary_search(ranks.begin(), ranks.end(), i));
  }
  for (const double sum : columns)
    ASSERT_NEAR(sum, 1, 1e-12);
}

void expect_receivers_transpose_rows(const Mixing& w) {
  std::vector<Ranks> senders(w.n());
  for (int i = 0; i < w.n(); ++i) {
    for (const Term& term : w.row(i)) {
      if (term.rank != i) senders[term.rank].push_back(i);
    }
  }
  for (int i = 0; i < w.n(); ++i)
    ASSERT_EQ(w.receivers(i), senders[i]);
}

TEST(Graphs, AreDoublyStochasticForAllN) {
  for (const int n : sizes()) {
    for (const auto& options : allowed(n)) {
      SCOPED_TRACE(options.name + " n = " + std::to_string(n));
      const auto schedule = make(options);
      ASSERT_EQ(schedule->n(), n);
      const int steps = std::min(std::max(schedule->period(), 3), 20);
      for (int64_t step = 0; step < steps; ++step) {
        const auto w = schedule->at({.step = step, .epoch = step});
        ASSERT_EQ(w->n(), n);
        expect_doubly_stochastic(*w);
        if (n <= 97) expect_receivers_transpose_rows(*w);
        EXPECT_EQ(w->is_symmetric(), dense(*w) == dense(*w).transpose());
        if (schedule->period() == 1) break;
      }
    }
  }
}

TEST(Graphs, StaticOnesAreConnected) {
  for (const int n : sizes()) {
    for (const auto& options : allowed(n)) {
      const auto schedule = make(options);
      if (schedule->period() != 1) continue;
      const auto w = schedule->at({});
      const auto heard = [&](int i) { return ranks_of(w->row(i)); };
      EXPECT_FALSE(first_unreachable(n, heard)) << options.name << ' ' << n;
      EXPECT_EQ(w->is_symmetric(), options.name != "exponential" || n <= 3);
    }
  }
}

TEST(Graphs, SameObjectForTheSameMatrix) {
  for (const auto& options : allowed(8)) {
    const auto schedule = make(options);
    const int period = std::max(schedule->period(), 1);
    EXPECT_EQ(schedule->at({.step = 1}), schedule->at({.step = 1}));
    if (schedule->period() == 0) continue;
    EXPECT_EQ(schedule->at({.step = 1}), schedule->at({.step = 1 + period}));
  }
}

TEST(Ring, SmallOnes) {
  EXPECT_EQ(
      first_of({.name = "ring", .n = 1})->row(0),
      (std::vector<Term>{{0, 1.0}}));
  EXPECT_EQ(
      first_of({.name = "ring", .n = 2})->row(1),
      (std::vector<Term>{{0, 0.5}, {1, 0.5}}));
  EXPECT_EQ(first_of({.name = "ring", .n = 3})->form(), Form::kComplete);
  const auto four = first_of({.name = "ring", .n = 4});
  EXPECT_EQ(four->form(), Form::kLattice);
  EXPECT_EQ(ranks_of(four->row(0)), (Ranks{3, 0, 1}));
}

TEST(Torus, IsAsSquareAsPossible) {
  const auto w = first_of({.name = "torus", .n = 12}); // 3 x 4
  EXPECT_EQ(ranks_of(w->row(0)), (Ranks{0, 1, 3, 4, 8}));
  EXPECT_EQ(ranks_of(w->row(5)), (Ranks{1, 4, 5, 6, 9}));
}

TEST(Torus, CountsEachNeighbourOnce) {
  const auto two_rows = first_of({.name = "torus", .n = 8}); // 2 x 4
  EXPECT_EQ(ranks_of(two_rows->row(0)), (Ranks{0, 1, 3, 4}));
  const auto square = first_of({.name = "torus", .n = 4}); // 2 x 2
  EXPECT_EQ(ranks_of(square->row(0)), (Ranks{0, 1, 2}));
  const auto prime = first_of({.name = "torus", .n = 13});
  EXPECT_EQ(prime->digest(), first_of({.name = "ring", .n = 13})->digest());
}

TEST(Torus, TakesRows) {
  const auto w = first_of({.name = "torus", .n = 12, .rows = 4});
  EXPECT_EQ(ranks_of(w->row(0)), (Ranks{0, 1, 2, 3, 9}));
  EXPECT_EQ(
      refusal({.name = "torus", .n = 12, .rows = 5}),
      "graph torus: rows must divide n = 12, got 5; nearest that works: 4");
  refusal({.name = "torus", .n = 12, .rows = -3});
  refusal({.name = "torus", .n = 12, .rows = 24});
}

TEST(Exponential, ReceivesFromPowersOfTwo) {
  const auto w = first_of({.name = "exponential", .n = 10});
  EXPECT_EQ(ranks_of(w->row(0)), (Ranks{0, 1, 2, 4, 8}));
  EXPECT_EQ(ranks_of(w->row(9)), (Ranks{0, 1, 3, 7, 9}));
  EXPECT_EQ(w->receivers(0), (Ranks{2, 6, 8, 9}));
  EXPECT_EQ(first_of({.name = "exponential", .n = 16})->degree(), 4);
  EXPECT_EQ(first_of({.name = "exponential", .n = 17})->degree(), 5);
}

TEST(Lattice, TakesEvenKOrComplete) {
  EXPECT_EQ(first_of({.name = "lattice", .n = 12, .k = 10})->degree(), 10);
  EXPECT_EQ(
      first_of({.name = "lattice", .n = 12, .k = 11})->form(),
      Form::kComplete);
  EXPECT_EQ(first_of({.name = "lattice", .n = 12})->k(), 4);
  EXPECT_EQ(
      refusal({.name = "lattice", .n = 12, .k = 5}),
      "graph lattice: k must be even (or n-1 = 11), got 5; nearest that works: "
      "4 and 6");
  EXPECT_EQ(
      refusal({.name = "lattice", .n = 12, .k = 20}),
      "graph lattice: k must be positive and at most n-1 = 11, got 20; nearest "
      "that works: 11");
  refusal({.name = "lattice", .n = 12, .k = 1});
  refusal({.name = "lattice", .n = 12, .k = -2});
}

TEST(Circulant, HasItsOffsetsOnBothSides) {
  const auto with = [](int n, const std::string& offsets) {
    return GraphOptions{.name = "circulant", .n = n, .offsets = offsets};
  };
  EXPECT_EQ(
      ranks_of(first_of(with(10, "1,4"))->row(0)),
      (Ranks{0, 1, 4, 6, 9}));
  // n/2 is one neighbour, not two.
  EXPECT_EQ(ranks_of(first_of(with(10, "5, 1"))->row(2)), (Ranks{1, 2, 3, 7}));
  // By default 1 and the root of n.
  EXPECT_EQ(ranks_of(first_of(with(26, ""))->row(0)), (Ranks{0, 1, 5, 21, 25}));
  EXPECT_EQ(
      refusal(with(10, "2,4")),
      "graph circulant: offsets 2,4: not connected, worker 1 cannot be reached "
      "from worker 0; add one that has no divisor in common with n = 10");
  EXPECT_EQ(
      refusal(with(10, "1,6")),
      "graph circulant: offsets 1,6: each must be an integer from 1 to n/2 = "
      "5, got 6");
  refusal(with(10, "1.5"));
  refusal(with(10, "0"));
  refusal(with(10, "one"));
}

// Of k/2 consecutive offsets: the lattice.
TEST(Circulant, ContainsTheLattices) {
  const auto circulant =
      first_of({.name = "circulant", .n = 9, .offsets = "1,2,3"});
  const auto lattice = first_of({.name = "lattice", .n = 9, .k = 6});
  for (int i = 0; i < 9; ++i) {
    Ranks ranks = ranks_of(lattice->row(i));
    std::ranges::sort(ranks);
    EXPECT_EQ(ranks_of(circulant->row(i)), ranks) << i;
  }
}

TEST(Hypercube, NeedsAPowerOfTwo) {
  const auto w = first_of({.name = "hypercube", .n = 8});
  EXPECT_EQ(ranks_of(w->row(5)), (Ranks{1, 4, 5, 7}));
  EXPECT_EQ(
      refusal({.name = "hypercube", .n = 12}),
      "graph hypercube: n must be a power of two, got 12; nearest n that "
      "works: 8 and 16");
}

TEST(Star, HasMetropolisWeights) {
  const auto w = first_of({.name = "star", .n = 5});
  EXPECT_EQ(w->degree(0), 4);
  EXPECT_EQ(w->degree(3), 1);
  EXPECT_DOUBLE_EQ(w->row(0)[0].weight, 0.2);
  EXPECT_DOUBLE_EQ(w->row(3)[0].weight, 0.2);
  EXPECT_DOUBLE_EQ(w->row(3)[1].weight, 0.8);
  EXPECT_FALSE(w->is_uniform());
}

TEST(RandomRegular, HasDegreeKForAllThatExist) {
  for (int n = 2; n <= 24; ++n) {
    for (int k = 2; k < n; ++k) {
      if (n % 2 == 1 && k % 2 == 1) continue;
      for (uint64_t seed = 0; seed < 3; ++seed) {
        const auto w =
            first_of({.name = "random-regular", .n = n, .seed = seed, .k = k});
        for (int i = 0; i < n; ++i)
          ASSERT_EQ(w->degree(i), k);
        const auto heard = [&](int i) { return ranks_of(w->row(i)); };
        ASSERT_FALSE(first_unreachable(n, heard));
      }
    }
  }
}

TEST(RandomRegular, WorksAtFullSize) {
  for (const int k : {2, 3, 4, 7, 64}) {
    const auto w = first_of({.name = "random-regular", .n = 4096, .k = k});
    EXPECT_EQ(w->degree(), k);
  }
}

TEST(RandomRegular, FollowsItsSeed) {
  const auto digest = [](uint64_t seed) {
    return first_of({.name = "random-regular", .n = 50, .seed = seed, .k = 6})
        ->digest();
  };
  EXPECT_EQ(digest(1), digest(1));
  EXPECT_NE(digest(1), digest(2));
}

TEST(RandomRegular, RefusesWhatDoesNotExist) {
  EXPECT_EQ(
      refusal({.name = "random-regular", .n = 9, .k = 3}),
      "graph random-regular: n * k must be even, got n = 9 and k = 3; nearest "
      "k that works: 2 and 4");
  refusal({.name = "random-regular", .n = 8, .k = 8});
  refusal({.name = "random-regular", .n = 8, .k = -1});
  refusal({.name = "random-regular", .n = 8, .k = 1});
  EXPECT_EQ(
      first_of({.name = "random-regular", .n = 8, .k = 7})->form(),
      Form::kComplete);
}

} // namespace
} // namespace grapevine::graph
