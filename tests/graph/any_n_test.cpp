// The schedules of pairs for every n: that they mix, that the phases of AER
// are balanced, and that for powers of two they are those of the paper.
#include "test_graphs.h"

#include "graph/butterfly.h"
#include "graph/spectrum.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace grapevine::graph {
namespace {

using Groups = std::vector<std::vector<int>>;

double distance_of(GraphOptions options) {
  const auto schedule = make(options);
  std::vector<std::shared_ptr<const Mixing>> steps;
  for (int64_t step = 0; step < schedule->period(); ++step)
    steps.push_back(schedule->at({.step = step}));
  return distance_from_average(steps);
}

// What n has besides factors of 2 and 3.
int rough_part(int n) {
  while (n % 2 == 0)
    n /= 2;
  while (n % 3 == 0)
    n /= 3;
  return n;
}

std::vector<int> many_counts() {
  std::vector<int> counts(63);
  std::iota(counts.begin(), counts.end(), 2);
  counts.insert(counts.end(), {95, 96, 97, 100, 127, 255, 1008});
  return counts;
}

// What the product of a period may be away from the average: nothing where all
// cuts are even, else a sixth at most, and less for more workers.
double allowed_distance(int count) {
  const int rough = rough_part(count);
  if (rough == 1) return 1e-14;
  return std::min(1.0 / 6 + 1e-9, 1.2 / std::sqrt(rough));
}

TEST(Butterfly, RoundsArePartitionsIntoSmallGroups) {
  for (int m = 1; m <= 300; ++m) {
    const auto rounds = butterfly_rounds(m);
    EXPECT_LE(rounds.size(), std::max(1.0, std::ceil(std::log2(m)))) << m;
    for (const Groups& groups : rounds) {
      std::vector<int> all;
      for (const auto& group : groups) {
        EXPECT_LE(group.size(), 3u) << m;
        EXPECT_TRUE(std::ranges::is_sorted(group)) << m;
        all.insert(all.end(), group.begin(), group.end());
      }
      std::ranges::sort(all);
      std::vector<int> expected(m);
      std::iota(expected.begin(), expected.end(), 0);
      EXPECT_EQ(all, expected) << m;
    }
  }
}

TEST(Butterfly, OfPowersOfTwoPairsByBits) {
  for (int p = 1; p <= 12; ++p) {
    const int m = 1 << p;
    const auto rounds = butterfly_rounds(m);
    ASSERT_EQ(static_cast<int>(rounds.size()), p);
    for (int r = 0; r < p; ++r) {
      for (const auto& group : rounds[r]) {
        ASSERT_EQ(group.size(), 2u);
        ASSERT_EQ(group[0] ^ (1 << r), group[1]);
      }
    }
  }
}

TEST(OnePeerExponential, MixesForEveryN) {
  for (const int n : many_counts()) {
    EXPECT_LE(
        distance_of({.name = "one-peer-exponential", .n = n}),
        allowed_distance(n))
        << n;
  }
}

TEST(Aer, ReportsItsDistanceAsSecondEigenvalue) {
  for (const int n : {6, 10, 14}) {
    const GraphOptions options = {.name = "aer", .n = n};
    EXPECT_EQ(analyse(*make(options)).second_eigenvalue, distance_of(options));
  }
}

TEST(OnePeerRing, MixesForEveryN) {
  double before = 0;
  for (int n = 4; n <= 65; ++n) {
    const double distance = distance_of({.name = "one-peer-ring", .n = n});
    // 1 - pi^2/n^2 and a little more, as for the rings of n-1 and n+1.
    EXPECT_LT(distance, 1 - 9.0 / (n * n)) << n;
    if (n % 2 == 1 && n > 5) {
      const double after = distance_of({.name = "one-peer-ring", .n = n + 1});
      EXPECT_LT(distance, after) << n;
      EXPECT_GT(distance, before - 0.12) << n;
    }
    before = distance;
  }
}

TEST(Aer, MixesForEveryNumberOfNodes) {
  for (const int nodes : many_counts()) {
    for (const int per_node : {1, 2, 3, 4}) {
      if (nodes * per_node > 4096) continue;
      EXPECT_LE(
          distance_of(
              {.name = "aer",
               .n = nodes * per_node,
               .workers_per_node = per_node}),
          allowed_distance(nodes))
          << nodes << " x " << per_node;
    }
  }
}

TEST(Aer, MixesWithASmallerLastNode) {
  for (int n = 2; n <= 100; ++n) {
    for (const int per_node : {2, 3, 4, 8}) {
      if (n % per_node == 0 || per_node > n) continue;
      EXPECT_LT(
          distance_of({.name = "aer", .n = n, .workers_per_node = per_node}),
          0.6)
          << n << " in nodes of " << per_node;
    }
  }
}

// The nodes of a group of workers.
std::vector<int> nodes_of(const std::vector<int>& group, int per_node) {
  std::vector<int> nodes;
  for (const int worker : group) {
    if (nodes.empty() || nodes.back() != worker / per_node) {
      nodes.push_back(worker / per_node);
    }
  }
  return nodes;
}

TEST(Aer, PhasesAreBalanced) {
  for (const int nodes : many_counts()) {
    for (const int per_node : {1, 2, 3}) {
      const int n = nodes * per_node;
      const auto schedule =
          make({.name = "aer", .n = n, .workers_per_node = per_node});
      ASSERT_EQ(schedule->period() % 2, 0);
      for (int64_t step = 0; step < schedule->period(); step += 2) {
        std::vector<int> met(nodes);
        int across[2] = {0, 0};
        for (const int phase : {0, 1}) {
          const auto w = schedule->at({.step = step + phase});
          for (int i = 0; i < n; i += per_node) {
            const auto group = nodes_of(ranks_of(w->row(i)), per_node);
            if (group.size() == 1) continue;
            ASSERT_LE(group.size(), 3u);
            ++met[i / per_node];
            across[phase] += group.front() == i / per_node;
          }
        }
        // Each node meets others at most once in a round, and the groups that
        // do are dealt to the two steps.
        EXPECT_LE(*std::ranges::max_element(met), 1) << nodes;
        EXPECT_LE(std::abs(across[0] - across[1]), 1) << nodes;
      }
    }
  }
}

// The definition of the paper, written out.
Groups paper_groups(int nodes, int per_node, int64_t step) {
  const int bit = 1 << (step / 2);
  const auto workers = [&](std::vector<int> list) {
    std::vector<int> all;
    for (const int node : list) {
      for (int w = 0; w < per_node; ++w)
        all.push_back(node * per_node + w);
    }
    return all;
  };
  Groups groups;
  int pair = 0;
  for (int node = 0; node < nodes; ++node) {
    if ((node & bit) != 0) continue;
    if (pair++ % 2 == step % 2) {
      groups.push_back(workers({node}));
      groups.push_back(workers({node | bit}));
    } else {
      groups.push_back(workers({node, node | bit}));
    }
  }
  return groups;
}

TEST(Aer, OfPowersOfTwoIsThePapers) {
  for (const int nodes : {2, 4, 8, 16, 64, 256}) {
    for (const int per_node : {1, 2, 3, 4}) {
      const int n = nodes * per_node;
      const auto schedule =
          make({.name = "aer", .n = n, .workers_per_node = per_node});
      ASSERT_EQ(schedule->period(), 2 * (std::bit_width(unsigned(nodes)) - 1));
      for (int64_t step = 0; step < schedule->period(); ++step) {
        EXPECT_EQ(
            schedule->at({.step = step})->digest(),
            Mixing::groups(n, paper_groups(nodes, per_node, step)).digest())
            << nodes << " x " << per_node << ", step " << step;
      }
    }
  }
}

} // namespace
} // namespace grapevine::graph
