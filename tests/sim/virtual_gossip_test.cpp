// Gossip in virtual time: what it conserves, that it repeats, and that links
// are kept busy.
#include "sim/virtual_gossip.h"

#include "base/error.h"
#include "virtual_world.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace grapevine::sim {
namespace {

TEST(VirtualGossip, DoesAsManyGradientsAsAskedFor) {
  World world(7, gossip::plain_dynamics(), 0.01);
  VirtualGossipOptions options = options_of("ring", 7);
  // One worker is three times slower: it does a third of what the others do.
  options.times.gradient = [](int worker, int64_t) {
    return worker == 3 ? 3.0 : 1.0;
  };
  options.total_gradients = 500;
  VirtualGossip gossip = world.make(options);
  while (gossip.advance()) {
  }
  EXPECT_EQ(gossip.gradients(), 500);
  EXPECT_EQ(world.begun(), 500);
  int64_t sum = 0;
  for (int i = 0; i < 7; ++i)
    sum += gossip.statistics(i).gradients;
  EXPECT_EQ(sum, 500);
  EXPECT_NEAR(gossip.statistics(3).gradients, 500 / 19.0, 2);
  EXPECT_NEAR(gossip.statistics(2).gradients, 1500 / 19.0, 2);
}

void check_rate(
    const std::string& graph,
    double rate,
    gossip::Averagings kind) {
  World world(16, gossip::plain_dynamics(), 0.01, true);
  VirtualGossipOptions options = options_of(graph, 16);
  options.rate = rate;
  options.averagings = kind;
  options.total_gradients = 16 * 200;
  options.times.transfer = [](int, int) { return 0.05; };
  VirtualGossip gossip = world.make(options);
  while (gossip.advance()) {
  }
  int64_t averagings = 0;
  for (int i = 0; i < 16; ++i)
    averagings += gossip.statistics(i).averagings;
  EXPECT_EQ(averagings, gossip.transfers());
  EXPECT_NEAR(averagings / 3200.0, rate, 0.06 * rate) << graph << rate;
}

TEST(VirtualGossip, AveragesAtItsRate) {
  for (const std::string graph : {"ring", "complete"}) {
    for (const double rate : {0.5, 1.0, 2.0}) {
      for (const gossip::Averagings kind :
           {gossip::Averagings::kPoisson, gossip::Averagings::kExact})
        check_rate(graph, rate, kind);
    }
  }
}

// Averaging conserves the sums of x and of y over all workers, flow that of
// both: without gradients nothing else moves.
TEST(VirtualGossip, ConservesTheMean) {
  World world(6, accelerated("ring", 6), 0);
  const auto x = world.total(false);
  VirtualGossip gossip = world.make(options_of("ring", 6));
  while (gossip.advance()) {
  }
  const auto x_after = world.total(false);
  const auto y_after = world.total(true);
  for (size_t e = 0; e < x.size(); ++e)
    ASSERT_NEAR(x_after[e] + y_after[e], 2 * x[e], 1e-4);
}

// Ends of a pair that do not use the same constants lose a part of their sum.
TEST(VirtualGossip, CheckFindsASumThatIsNotKept) {
  VirtualGossipOptions options = options_of("ring", 6);
  options.check = true;
  for (const double alpha : {0.5, 0.4}) {
    World world(6, gossip::plain_dynamics(), 0);
    world.replica(2).set_dynamics({.alpha = alpha}, 0);
    VirtualGossip gossip = world.make(options);
    const auto run = [&] {
      while (gossip.advance()) {
      }
    };
    if (alpha == 0.5) {
      EXPECT_NO_THROW(run());
    } else {
      EXPECT_THROW(run(), Error);
    }
  }
}

TEST(VirtualGossip, WithoutFlowIsTheBaselineBitForBit) {
  World plain(8, gossip::plain_dynamics(), 0.05);
  World idle(8, {.eta = 1e-300, .alpha_y = 2}, 0.05);
  VirtualGossip a = plain.make(options_of("ring", 8));
  VirtualGossip b = idle.make(options_of("ring", 8));
  while (a.advance()) {
    ASSERT_TRUE(b.advance());
  }
  for (int i = 0; i < 8; ++i) {
    for (size_t e = 0; e < plain.replica(i).x().size(); ++e)
      ASSERT_EQ(plain.replica(i).x()[e], idle.replica(i).x()[e]);
  }
}

TEST(VirtualGossip, WaitsForAveragingsWhereMaxLagSaysSo) {
  const auto run = [](int64_t max_lag) {
    World world(6, gossip::plain_dynamics(), 0.01);
    VirtualGossipOptions options = options_of("ring", 6);
    options.times.transfer = [](int, int) { return 5.0; };
    options.max_lag = max_lag;
    VirtualGossip gossip = world.make(options);
    while (gossip.advance()) {
    }
    EXPECT_EQ(gossip.gradients(), 120);
    double held = 0;
    for (int i = 0; i < 6; ++i)
      held += gossip.statistics(i).held_seconds;
    return std::pair(held, gossip.now());
  };
  EXPECT_EQ(run(-1).first, 0);
  EXPECT_GT(run(0).first, 0);
  EXPECT_GT(run(0).second, run(4).second);
  EXPECT_GT(run(4).second, run(-1).second);
}

// A state in the middle of everything, planes included, goes on to the same
// end as the run that was not interrupted.
TEST(VirtualGossip, GoesOnFromItsState) {
  const gossip::Dynamics dynamics = accelerated("ring", 5);
  World whole(5, dynamics, 0.05);
  VirtualGossip unbroken = whole.make(options_of("ring", 5));
  for (int i = 0; i < 137; ++i)
    ASSERT_TRUE(unbroken.advance());
  const std::string text = unbroken.state().dump();

  World copy(5, dynamics, 0.05);
  VirtualGossip resumed = copy.make(options_of("ring", 5));
  const auto copy_plane = [](std::span<const float> from, std::span<float> to) {
    std::copy(from.begin(), from.end(), to.begin());
  };
  for (int i = 0; i < 5; ++i) {
    copy_plane(whole.replica(i).x(), copy.replica(i).x());
    copy_plane(whole.replica(i).y(), copy.replica(i).y());
    copy_plane(whole.arena(i).parameters(), copy.arena(i).parameters());
    copy_plane(whole.arena(i).state(0), copy.arena(i).state(0));
  }
  resumed.restore(nlohmann::json::parse(text));
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(unbroken.sent(i).size(), resumed.sent(i).size());
    copy_plane(unbroken.sent(i), resumed.sent(i));
  }
  while (unbroken.advance()) {
    ASSERT_TRUE(resumed.advance());
  }
  EXPECT_FALSE(resumed.advance());
  EXPECT_EQ(unbroken.now(), resumed.now());
  for (int i = 0; i < 5; ++i) {
    for (size_t e = 0; e < whole.replica(i).x().size(); ++e)
      ASSERT_EQ(whole.replica(i).x()[e], copy.replica(i).x()[e]);
  }
}

TEST(VirtualGossip, OneWorkerTrainsAlone) {
  World world(1, gossip::plain_dynamics(), 0.05);
  VirtualGossipOptions options = options_of("complete", 1);
  VirtualGossip gossip = world.make(options);
  while (gossip.advance()) {
  }
  EXPECT_EQ(gossip.gradients(), 20);
  EXPECT_EQ(gossip.words(), 0);
}

// Transfers that all take the same time, and more wants than they serve: those
// that are free at the same moments must not keep to themselves, nor wait for
// others in vain.
TEST(VirtualGossip, PairsChangeAndKeepTheLinksBusy) {
  for (const char* graph : {"ring", "complete"}) {
    for (const int n : {3, 4, 8, 16}) {
      for (const double transfer : {1.1, 1.5, 2.1, 3.3}) {
        World world(n, gossip::plain_dynamics(), 0, true);
        VirtualGossipOptions options = options_of(graph, n);
        options.rate = 5;
        options.total_gradients = int64_t{300} * n;
        options.times.gradient = [](int, int64_t) { return 1.0; };
        options.times.transfer = [=](int, int) { return transfer; };
        options.times.word = [](int, int) { return 0.001; };
        VirtualGossip gossip = world.make(options);
        const double before = world.consensus_distance();
        while (gossip.advance()) {
        }
        const auto what = fmt::format("{}, {}, {}", graph, n, transfer);
        EXPECT_LT(world.consensus_distance(), 0.02 * before) << what;
        double busy = 0;
        for (int i = 0; i < n; ++i)
          busy += gossip.statistics(i).pair_seconds / gossip.now() / n;
        EXPECT_GT(busy, n == 3 ? 0.6 : 0.7) << what;
      }
    }
  }
}

// A complete graph that becomes a ring: from then on nobody else is asked, but
// for those that were owed an ask, and all gradients are still done.
TEST(VirtualGossip, AsksOnlyWhomTheGraphStillHas) {
  const int n = 8;
  World world(n, gossip::plain_dynamics(), 0.01, true);
  VirtualGossipOptions options = options_of("complete", n);
  options.total_gradients = int64_t{200} * n;
  int near = 0;
  int far = 0;
  options.times.transfer = [&](int a, int b) {
    const int gap = (b - a + n) % n;
    ++(gap == 1 || gap == n - 1 ? near : far);
    return 0.05;
  };
  VirtualGossip gossip = world.make(options);
  while (gossip.gradients() < 100 * n)
    ASSERT_TRUE(gossip.advance());
  EXPECT_GT(far, near);
  near = far = 0;
  gossip.change_graph(neighbours_of("ring", n));
  while (gossip.advance()) {
  }
  EXPECT_EQ(gossip.gradients(), 200 * n);
  EXPECT_GT(near, 50 * n / 4);
  EXPECT_LE(far, n * gossip::Pairing::kMostOwed);
}

} // namespace
} // namespace grapevine::sim
