#include "test_graphs.h"

#include "base/names.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <thread>

namespace grapevine::graph {
namespace {

using Form = Mixing::Form;
using Groups = std::vector<std::vector<int>>;

Groups groups_at(const Schedule& schedule, int64_t step) {
  return schedule.at({.step = step})->group_list();
}

TEST(OnePeerRing, AlternatesLeftAndRight) {
  const auto schedule = make({.name = "one-peer-ring", .n = 6});
  EXPECT_EQ(schedule->period(), 2);
  EXPECT_EQ(groups_at(*schedule, 0), (Groups{{0, 1}, {2, 3}, {4, 5}}));
  EXPECT_EQ(groups_at(*schedule, 1), (Groups{{0, 5}, {1, 2}, {3, 4}}));
  EXPECT_EQ(schedule->at({.step = 4}), schedule->at({.step = 0}));
}

TEST(OnePeerRing, OddNHasATripleAtTheSeam) {
  const auto schedule = make({.name = "one-peer-ring", .n = 7});
  EXPECT_EQ(schedule->period(), 2);
  EXPECT_EQ(groups_at(*schedule, 0), (Groups{{0, 1}, {2, 3}, {4, 5, 6}}));
  EXPECT_EQ(groups_at(*schedule, 1), (Groups{{0, 5, 6}, {1, 2}, {3, 4}}));
}

TEST(OnePeerRing, OfUpToThreeIsComplete) {
  for (int n = 1; n <= 3; ++n) {
    const auto schedule = make({.name = "one-peer-ring", .n = n});
    EXPECT_EQ(schedule->period(), 1);
    EXPECT_EQ(schedule->at({})->form(), Form::kComplete);
  }
}

TEST(OnePeerExponential, PairsByOneBitAStep) {
  const auto schedule = make({.name = "one-peer-exponential", .n = 8});
  EXPECT_EQ(schedule->period(), 3);
  EXPECT_EQ(groups_at(*schedule, 0), (Groups{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
  EXPECT_EQ(groups_at(*schedule, 1), (Groups{{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
  EXPECT_EQ(groups_at(*schedule, 2), (Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
}

TEST(OnePeerExponential, OtherNHaveTriples) {
  const auto five = make({.name = "one-peer-exponential", .n = 5});
  EXPECT_EQ(five->period(), 2);
  EXPECT_EQ(groups_at(*five, 0), (Groups{{0, 1, 2}, {3, 4}}));
  EXPECT_EQ(groups_at(*five, 1), (Groups{{0, 3}, {1, 2, 4}}));
  const auto nine = make({.name = "one-peer-exponential", .n = 9});
  EXPECT_EQ(nine->period(), 2);
  EXPECT_EQ(groups_at(*nine, 0), (Groups{{0, 1, 2}, {3, 4, 5}, {6, 7, 8}}));
  EXPECT_EQ(groups_at(*nine, 1), (Groups{{0, 3, 6}, {1, 4, 7}, {2, 5, 8}}));
}

TEST(Aer, FourNodesOfTwoAreThePapersExample) {
  const auto schedule = make({.name = "aer", .n = 8, .workers_per_node = 2});
  EXPECT_EQ(schedule->period(), 4);
  EXPECT_EQ(groups_at(*schedule, 0), (Groups{{0, 1}, {2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(groups_at(*schedule, 1), (Groups{{0, 1, 2, 3}, {4, 5}, {6, 7}}));
  EXPECT_EQ(groups_at(*schedule, 2), (Groups{{0, 1}, {2, 3, 6, 7}, {4, 5}}));
  EXPECT_EQ(groups_at(*schedule, 3), (Groups{{0, 1, 4, 5}, {2, 3}, {6, 7}}));
}

TEST(Aer, HalfOfThePairsUseTheNetwork) {
  const auto schedule = make({.name = "aer", .n = 64, .workers_per_node = 4});
  EXPECT_EQ(schedule->period(), 8);
  for (int64_t step = 0; step < 8; ++step) {
    const auto groups = groups_at(*schedule, step);
    EXPECT_EQ(
        std::count_if(
            groups.begin(),
            groups.end(),
            [](const auto& g) { return g.size() == 8; }),
        4);
    EXPECT_EQ(groups.size(), 12u);
  }
}

TEST(Aer, OneNodeAveragesInside) {
  const auto schedule = make({.name = "aer", .n = 6, .workers_per_node = 6});
  EXPECT_EQ(schedule->period(), 1);
  EXPECT_EQ(schedule->at({})->form(), Form::kComplete);
}

TEST(Aer, ThreeNodesOfTwo) {
  const auto schedule = make({.name = "aer", .n = 6, .workers_per_node = 2});
  EXPECT_EQ(schedule->period(), 2);
  EXPECT_EQ(groups_at(*schedule, 0), (Groups{{0, 1}, {2, 3}, {4, 5}}));
  EXPECT_EQ(schedule->at({.step = 1})->form(), Form::kComplete);
}

TEST(Aer, TheLastNodeMayBeSmaller) {
  const auto schedule = make({.name = "aer", .n = 7, .workers_per_node = 2});
  EXPECT_EQ(schedule->period(), 4);
  EXPECT_EQ(groups_at(*schedule, 0), (Groups{{0, 1}, {2, 3}, {4, 5, 6}}));
  EXPECT_EQ(groups_at(*schedule, 1), (Groups{{0, 1, 2, 3}, {4, 5}, {6}}));
}

TEST(Aer, RefusesEmptyAndTooLargeNodes) {
  EXPECT_EQ(
      refusal({.name = "aer", .n = 12, .workers_per_node = 24}),
      "graph aer: workers-per-node must lie in 1..n = 12, got 24; nearest that "
      "works: 12");
  EXPECT_THROW(make_aer(12, 0), ConfigError);
  // Not given, every worker is a node of its own.
  EXPECT_EQ(make({.name = "aer", .n = 12, .workers_per_node = 0})->n(), 12);
}

TEST(RandomMatching, PairsEverybodyAnew) {
  const auto schedule = make({.name = "random-matching", .n = 10, .seed = 3});
  EXPECT_EQ(schedule->period(), 0);
  std::set<uint64_t> digests;
  for (int64_t step = 0; step < 30; ++step) {
    const auto w = schedule->at({.step = step});
    for (const auto& group : w->group_list())
      EXPECT_EQ(group.size(), 2u);
    digests.insert(w->digest());
  }
  EXPECT_GT(digests.size(), 25u);
}

TEST(RandomMatching, OddNLeavesOneOut) {
  const auto schedule = make({.name = "random-matching", .n = 7});
  std::set<int> alone;
  for (int64_t step = 0; step < 100; ++step) {
    int singles = 0;
    for (const auto& group : groups_at(*schedule, step)) {
      if (group.size() > 1) continue;
      alone.insert(group[0]);
      ++singles;
    }
    EXPECT_EQ(singles, 1);
  }
  EXPECT_EQ(alone.size(), 7u);
}

TEST(RandomMatching, IsAddressedBySeedAndStep) {
  const auto a = make({.name = "random-matching", .n = 20, .seed = 5});
  const auto b = make({.name = "random-matching", .n = 20, .seed = 5});
  const auto other = make({.name = "random-matching", .n = 20, .seed = 6});
  // Asked in different orders, as a resumed run would.
  for (int64_t step = 0; step < 40; ++step) {
    EXPECT_EQ(
        a->at({.step = 39 - step})->digest(),
        b->at({.step = 39 - step})->digest());
    EXPECT_EQ(a->at({.step = step})->digest(), b->at({.step = step})->digest());
    EXPECT_NE(
        a->at({.step = step})->digest(),
        other->at({.step = step})->digest());
  }
}

TEST(RandomMatching, AllPairsAreEquallyLikely) {
  const auto schedule = make({.name = "random-matching", .n = 6});
  std::vector<int> partner_of_0(6);
  constexpr int kSteps = 5000;
  for (int64_t step = 0; step < kSteps; ++step) {
    ++partner_of_0[schedule->at({.step = step})->receivers(0).at(0)];
  }
  // Binomial with p = 1/5: sd 28; the numbers are fixed by the seed.
  for (int j = 1; j < 6; ++j)
    EXPECT_NEAR(partner_of_0[j], kSteps / 5, 120);
}

int ada_k(const Schedule& schedule, int64_t epoch) {
  return schedule.at({.epoch = epoch})->degree();
}

TEST(Ada, FallsFromCompleteToRingByDefault) {
  const auto schedule = make({.name = "ada", .n = 96, .epochs = 8});
  EXPECT_EQ(schedule->period(), 0);
  // k0 = 95, gamma = 93/7: floor 95, 81, 68, 55, 41, 28, 15, 2.
  const std::vector<int> expected = {95, 80, 68, 54, 40, 28, 14, 2, 2, 2};
  for (size_t epoch = 0; epoch < expected.size(); ++epoch) {
    EXPECT_EQ(ada_k(*schedule, static_cast<int64_t>(epoch)), expected[epoch]);
  }
  EXPECT_EQ(schedule->at({})->form(), Form::kComplete);
  EXPECT_EQ(schedule->at({.epoch = 7})->form(), Form::kLattice);
}

TEST(Ada, TakesK0AndGamma) {
  const auto schedule = make({.name = "ada", .n = 20, .k0 = 10, .gamma = 1.5});
  // 10, 8.5, 7, 5.5, 4, 2.5, 1
  const std::vector<int> expected = {10, 8, 6, 4, 4, 2, 2};
  for (size_t epoch = 0; epoch < expected.size(); ++epoch) {
    EXPECT_EQ(ada_k(*schedule, static_cast<int64_t>(epoch)), expected[epoch]);
  }
  EXPECT_EQ(ada_k(*schedule, std::numeric_limits<int64_t>::max()), 2);
  // The step does not matter, and a repeated matrix is the same object.
  EXPECT_EQ(schedule->at({.step = 9, .epoch = 3}), schedule->at({.epoch = 4}));
}

TEST(Ada, IsCompleteFromNMinusTwo) {
  for (const auto& [k0, degree] :
       std::vector<std::pair<int, int>>{{7, 6}, {8, 9}, {9, 9}, {50, 9}}) {
    const auto schedule = make({.name = "ada", .n = 10, .k0 = k0, .gamma = 0});
    EXPECT_EQ(ada_k(*schedule, 0), degree) << k0;
  }
  for (int n = 1; n <= 4; ++n) {
    const auto schedule = make({.name = "ada", .n = n, .epochs = 3});
    EXPECT_EQ(schedule->at({.epoch = 5})->form(), Form::kComplete);
  }
}

TEST(Ada, StopsAtItsFloor) {
  const auto schedule =
      make({.name = "ada", .n = 20, .k0 = 10, .gamma = 1.5, .k_min = 6});
  EXPECT_EQ(ada_k(*schedule, 2), 6);
  EXPECT_EQ(ada_k(*schedule, 100), 6);
  // The default gamma ends there: 95, then 95 - 90/3 a step of 3.
  const auto slow = make({.name = "ada", .n = 96, .k_min = 5, .epochs = 4});
  EXPECT_EQ(ada_k(*slow, 1), 64); // 95 - 30 = 65
  EXPECT_EQ(ada_k(*slow, 3), 4);  // 5, made even
}

TEST(Ada, ByStepFallsInsideAnEpoch) {
  const auto schedule =
      make({.name = "ada", .n = 40, .k0 = 20, .gamma = 8, .ada = "step"});
  const auto k = [&](double epochs_done) {
    return schedule->at({.epoch = 0, .epochs_done = epochs_done})->degree();
  };
  EXPECT_EQ(k(0), 20);
  EXPECT_EQ(k(0.25), 18);
  EXPECT_EQ(k(0.5), 16);
  EXPECT_EQ(k(0.51), 14); // 15.92
  EXPECT_EQ(k(9), 2);
}

TEST(Ada, UnderControlTakesTheKOfTheStepTime) {
  const auto schedule = make({.name = "ada", .n = 20, .ada = "auto"});
  EXPECT_EQ(schedule->at({.epoch = 5})->degree(), 19);
  EXPECT_EQ(schedule->at({.epoch = 5, .k = 6})->degree(), 6);
  EXPECT_EQ(schedule->at({.k = 18})->form(), Form::kComplete);
}

TEST(Ada, RefusesNonsense) {
  refusal({.name = "ada", .n = 10, .k_min = 1});
  refusal({.name = "ada", .n = 10, .gamma = 1, .ada = "auto"});
  refusal({.name = "ada", .n = 10, .k0 = -1});
  refusal({.name = "ada", .n = 10, .gamma = std::nan("")});
}

TEST(Schedule, AtIsThreadSafe) {
  for (const std::string name : {"random-matching", "ada", "one-peer-ring"}) {
    const auto schedule = make({.name = name, .n = 32, .epochs = 50});
    std::vector<std::vector<uint64_t>> digests(4);
    {
      std::vector<std::jthread> threads;
      for (auto& mine : digests) {
        threads.emplace_back([&] {
          for (int64_t t = 0; t < 200; ++t) {
            mine.push_back(schedule->at({.step = t, .epoch = t / 4})->digest());
          }
        });
      }
    }
    for (const auto& mine : digests)
      EXPECT_EQ(mine, digests[0]) << name;
  }
}

TEST(GraphTable, ListsEveryNameOnceAndMakesIt) {
  std::set<std::string> names;
  for (const auto& entry : graph_table()) {
    EXPECT_TRUE(names.insert(entry.name).second);
    EXPECT_FALSE(entry.summary.empty());
    if (entry.name.ends_with("edges")) continue;
    const auto schedule = make({.name = entry.name, .n = 8});
    EXPECT_EQ(schedule->period() != 1, entry.is_schedule) << entry.name;
  }
  EXPECT_EQ(names.size(), 17u);
}

TEST(GraphTable, RefusesUnknownNamesWithTheNearest) {
  const std::string message = refusal({.name = "rign", .n = 4});
  EXPECT_NE(message.find("did you mean 'ring'"), std::string::npos) << message;
}

TEST(GraphTable, RefusesImpossibleN) {
  for (const auto& entry : graph_table()) {
    refusal({.name = entry.name, .n = 0});
    refusal({.name = entry.name, .n = -4});
  }
  EXPECT_EQ(
      refusal({.name = "ring", .n = 5000}),
      "graph ring: n must lie in 1..4096, got 5000; nearest that works: 4096");
}

} // namespace
} // namespace grapevine::graph
