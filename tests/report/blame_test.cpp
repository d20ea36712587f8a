// Blame of waits that were made up, and of small worlds in which it is known
// who is slow.
#include "report/blame.h"
#include "base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace grapevine::report {
namespace {

using Matrix = std::vector<std::vector<double>>;

Blame blame_of(const Matrix& matrix, std::vector<double> compute = {}) {
  std::vector<Wait> waits;
  const auto n = static_cast<int>(matrix.size());
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j)
      waits.push_back({i, j, matrix[i][j]});
  }
  compute.resize(n, 70);
  return find_blame(waits, compute, 100);
}

// Workers that wait for their in-neighbours' last values at the end of each
// step, as combine-while-adapt does.
struct World {
  int n = 8;
  bool is_ring = true;                        // else one-peer exponential
  std::map<int, double> slow;                 // factor by worker
  std::map<std::pair<int, int>, double> link; // delay to, from
  double delay = 0.3;                         // of all other links
  double jitter = 0.05;                       // of compute
  double fast = 1;                            // factor of worker 0
  int steps = 300;
  uint64_t seed = 1;

  std::vector<int> senders(int i, int step) const {
    if (is_ring) return {(i + n - 1) % n, (i + 1) % n};
    int phases = 0;
    while ((1 << (phases + 1)) <= n)
      ++phases;
    return {(i + n - (1 << (step % phases))) % n};
  }
  double delay_of(int to, int from) const {
    const auto found = link.find({to, from});
    return found == link.end() ? delay : found->second;
  }

  Blame run() const {
    Random random(seed, Purpose::kTest, n);
    std::vector<double> done(n);
    std::vector<double> compute(n);
    std::vector<Wait> waits;
    for (int step = 0; step < steps; ++step) {
      std::vector<double> next(n);
      for (int i = 0; i < n; ++i) {
        const auto factor = slow.find(i);
        double seconds = 1 + jitter * std::abs(random.normal());
        if (factor != slow.end()) seconds *= factor->second;
        if (i == 0) seconds *= fast;
        compute[i] += seconds;
        next[i] = done[i] + seconds;
        const std::vector<int> peers = senders(i, step);
        const auto last = std::ranges::max_element(peers, {}, [&](int j) {
          return done[j] + delay_of(i, j);
        });
        const double there = done[*last] + delay_of(i, *last);
        if (there > next[i]) {
          waits.push_back({i, *last, there - next[i]});
          next[i] = there;
        }
      }
      done = next;
    }
    return find_blame(waits, compute, mean(done));
  }
};

std::vector<World> worlds() {
  std::vector<World> list;
  for (const int n : {4, 8, 16, 31}) {
    for (const bool is_ring : {true, false}) {
      for (uint64_t seed = 1; seed <= 3; ++seed)
        list.push_back({.n = n, .is_ring = is_ring, .seed = seed});
    }
  }
  return list;
}

std::string name_of(const World& world) {
  return std::string(world.is_ring ? "ring " : "exponential ") +
         std::to_string(world.n) + ", seed " + std::to_string(world.seed);
}

TEST(Blame, OneSlowWorkerOfThree) {
  const Blame blame =
      blame_of({{0, 30, 0}, {0, 0, 0}, {1, 29, 0}}, {70, 100, 70});
  ASSERT_TRUE(blame.straggler);
  EXPECT_EQ(blame.straggler->worker, 1);
  EXPECT_NEAR(blame.straggler->cost, 20, 1e-9);
  EXPECT_NEAR(blame.straggler->compute_ratio, 100.0 / 70, 1e-9);
  EXPECT_FALSE(blame.link);
  EXPECT_NEAR(blame.mean_wait, 20, 1e-9);
  ASSERT_EQ(blame.sentences.size(), 1u);
  EXPECT_EQ(
      blame.sentences[0],
      "Worker 1 is the straggler: waiting for it cost the mean worker 20 s, "
      "20 % of the training time; its compute takes 1.43 times the median.");
}

// A chain: 3 waits for 2, 2 for 1, 1 for 0, and all for 0's sake.
TEST(Blame, LatenessIsFollowedToItsSource) {
  const Blame blame =
      blame_of({{0, 0, 0, 0}, {20, 0, 0, 0}, {0, 20, 0, 0}, {0, 0, 20, 0}});
  ASSERT_TRUE(blame.straggler);
  EXPECT_EQ(blame.straggler->worker, 0);
  EXPECT_NEAR(blame.straggler->cost, 15, 1e-9);
  EXPECT_NE(
      blame.sentences[0].find("its compute is not slower"),
      std::string::npos);
}

TEST(Blame, OneSlowLink) {
  const Blame blame =
      blame_of({{0, 15, 0, 0}, {1, 0, 15, 0}, {0, 0, 0, 16}, {0, 0, 15, 0}});
  EXPECT_FALSE(blame.straggler);
  ASSERT_TRUE(blame.link);
  EXPECT_EQ(blame.link->a, 2);
  EXPECT_EQ(blame.link->b, 3);
  EXPECT_NEAR(blame.link->cost, 15.5, 0.5);
}

TEST(Blame, ASymmetricRing) {
  Matrix matrix(6, std::vector<double>(6));
  for (int i = 0; i < 6; ++i) {
    matrix[i][(i + 1) % 6] = 10;
    matrix[i][(i + 5) % 6] = 10;
  }
  const Blame blame = blame_of(matrix);
  EXPECT_FALSE(blame.straggler);
  EXPECT_FALSE(blame.link);
  EXPECT_EQ(
      blame.sentences,
      std::vector<std::string>{
          "The mean worker waited 20 s, 20 % of the training time, and no "
          "single worker or link is to blame: the network as a whole, or "
          "steps of uneven length."});
}

TEST(Blame, ShortWaitsAreNotSpokenOf) {
  const Blame blame =
      blame_of({{0, 4.9, 0}, {0, 0, 0}, {0, 4.9, 0}}, {70, 100, 70});
  EXPECT_FALSE(blame.straggler);
  EXPECT_FALSE(blame.link);
  EXPECT_TRUE(blame.sentences.empty());
  EXPECT_EQ(blame.waits.size(), 2u);
}

TEST(Blame, NobodyWaits) {
  EXPECT_TRUE(blame_of(Matrix(4, std::vector<double>(4))).sentences.empty());
  EXPECT_TRUE(find_blame({}, {}, 100).sentences.empty());
}

TEST(Blame, WithoutATrainingTimeNobodyIsNamed) {
  for (const double seconds : {kNan, 0.0}) {
    const Blame blame = find_blame({{0, 1, 5}}, {1, 2}, seconds);
    EXPECT_TRUE(blame.sentences.empty());
    EXPECT_EQ(blame.waits.size(), 1u);
  }
}

TEST(Blame, WhatIsNoWaitIsLeftOut) {
  const Blame blame = find_blame(
      {{0, 1, 2},
       {0, 1, 3},
       {0, 2, 5},
       {-1, 0, 5},
       {1, 1, 5},
       {1, 0, -5},
       {1, 0, kNan}},
      {1, 1},
      10);
  ASSERT_EQ(blame.waits.size(), 1u);
  EXPECT_EQ(blame.waits[0].seconds, 5);
}

TEST(Blame, UnknownComputeIsNotSpokenOf) {
  const Blame blame = blame_of({{0, 30}, {0, 0}}, {kNan, kNan});
  ASSERT_TRUE(blame.straggler);
  EXPECT_TRUE(std::isnan(blame.straggler->compute_ratio));
  EXPECT_EQ(blame.sentences[0].find("compute"), std::string::npos);
}

TEST(BlameOfWorlds, ASlowWorkerIsNamedWithItsCost) {
  for (World world : worlds()) {
    world.slow[2] = 1.5;
    const Blame blame = world.run();
    ASSERT_TRUE(blame.straggler) << name_of(world);
    EXPECT_EQ(blame.straggler->worker, 2) << name_of(world);
    EXPECT_NEAR(blame.straggler->compute_ratio, 1.5, 0.05);
    // All but itself wait a third of their time.
    const double share = blame.straggler->cost / blame.seconds;
    EXPECT_NEAR(share, (world.n - 1.0) / world.n / 3, 0.04) << name_of(world);
    EXPECT_FALSE(blame.link) << name_of(world);
  }
}

TEST(BlameOfWorlds, ASlowLinkIsNamedWithItsCost) {
  for (World world : worlds()) {
    if (!world.is_ring) continue; // there it is not in use all the time
    world.link[{3, 2}] = 3;
    const Blame blame = world.run();
    EXPECT_FALSE(blame.straggler) << name_of(world);
    ASSERT_TRUE(blame.link) << name_of(world);
    EXPECT_EQ(blame.link->a, 2) << name_of(world);
    EXPECT_EQ(blame.link->b, 3) << name_of(world);
    // There and back take 3 + 0.3, two steps alone 2.
    EXPECT_NEAR(blame.link->cost / blame.seconds, 1 - 2 / 3.3, 0.05);
  }
}

TEST(BlameOfWorlds, ASlowWorkerAndASlowLink) {
  for (World world : worlds()) {
    if (!world.is_ring) continue;
    world.slow[0] = 1.6;
    world.link[{3, 2}] = 3;
    const Blame blame = world.run();
    ASSERT_TRUE(blame.straggler || blame.link) << name_of(world);
    double named = 0;
    if (blame.straggler) {
      EXPECT_EQ(blame.straggler->worker, 0) << name_of(world);
      named += blame.straggler->cost;
    }
    if (blame.link) {
      EXPECT_EQ(blame.link->a, 2) << name_of(world);
      EXPECT_EQ(blame.link->b, 3) << name_of(world);
      named += blame.link->cost;
    }
    EXPECT_NEAR(named, blame.mean_wait, 0.2 * blame.mean_wait);
  }
}

TEST(BlameOfWorlds, NobodyIsNamedWhereAllAreAlike) {
  for (World world : worlds()) {
    EXPECT_TRUE(world.run().sentences.empty()) << name_of(world);
    world.delay = 1.5; // all links are slow
    const Blame blame = world.run();
    EXPECT_FALSE(blame.straggler) << name_of(world);
    EXPECT_FALSE(blame.link) << name_of(world);
    EXPECT_EQ(blame.sentences.size(), 1u) << name_of(world);
  }
}

TEST(BlameOfWorlds, NoiseNamesNobody) {
  for (World world : worlds()) {
    world.jitter = 0.3;
    const Blame blame = world.run();
    EXPECT_FALSE(blame.straggler) << name_of(world);
    EXPECT_FALSE(blame.link) << name_of(world);
  }
}

// It waits for the others, which are no slower than they should be.
TEST(BlameOfWorlds, AFastWorkerBlamesNobody) {
  for (World world : worlds()) {
    world.fast = 0.5;
    EXPECT_TRUE(world.run().sentences.empty()) << name_of(world);
  }
}

} // namespace
} // namespace grapevine::report
