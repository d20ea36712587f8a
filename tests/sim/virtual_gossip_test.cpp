// Gossip in virtual time: what it conserves, that links are kept busy, and that
// nobody is left out, however many there are.
#include "sim/virtual_world.h"

#include "base/error.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

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
  finish(gossip);
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
  finish(gossip);
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
  finish(gossip);
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
    if (alpha == 0.5) {
      EXPECT_NO_THROW(finish(gossip));
    } else {
      EXPECT_THROW(finish(gossip), Error);
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
    finish(gossip);
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

TEST(VirtualGossip, OneWorkerTrainsAlone) {
  World world(1, gossip::plain_dynamics(), 0.05);
  VirtualGossipOptions options = options_of("complete", 1);
  VirtualGossip gossip = world.make(options);
  finish(gossip);
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
        finish(gossip);
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
  finish(gossip);
  EXPECT_EQ(gossip.gradients(), 200 * n);
  EXPECT_GT(near, 50 * n / 4);
  EXPECT_LE(far, n * gossip::Pairing::kMostOwed);
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) /
         static_cast<double>(values.size());
}

// What each worker waited for a partner, time by time.
class Waits {
 public:
  explicit Waits(int n) : total_(n), by_worker_(n) {}

  // After each event.
  void look(const VirtualGossip& gossip) {
    for (size_t i = 0; i < total_.size(); ++i) {
      const gossip::Statistics& worker = gossip.statistics(static_cast<int>(i));
      if (worker.wait_seconds == total_[i]) continue;
      const double wait = worker.wait_seconds - total_[i];
      total_[i] = worker.wait_seconds;
      by_worker_[i].push_back(wait);
      all_.push_back(wait);
    }
  }

  double mean() const { return mean_of(all_); }
  // The mean of the worker that waits longest.
  double worst_mean() const {
    double worst = 0;
    for (const auto& waits : by_worker_)
      worst = std::max(worst, mean_of(waits));
    return worst;
  }
  // So many of all waits are at most so long.
  double quantile(double part) const {
    std::vector<double> sorted = all_;
    std::ranges::sort(sorted);
    const auto last = static_cast<double>(sorted.size() - 1);
    return sorted[static_cast<size_t>(part * last)];
  }

 private:
  std::vector<double> total_;
  std::vector<std::vector<double>> by_worker_;
  std::vector<double> all_;
};

// Everybody wants an averaging at all times: 10,000 matches, and no worker
// waits longer than the others. That is about a worker's mean wait. A single
// wait cannot be bounded so: most find somebody within a few words, and those
// whose neighbours have just begun to average wait for the end of that, which
// is more than three times the mean of all. Such waits are few, and end.
TEST(VirtualGossip, ServesEverybody) {
  constexpr int n = 32;
  constexpr double kTransfer = 0.3;
  for (const char* graph : {"complete", "ring", "random-regular"}) {
    World world(n, gossip::plain_dynamics(), 0, true);
    VirtualGossipOptions options = options_of(graph, n);
    options.rate = 50; // more than the links carry
    options.total_gradients = 1 << 30;
    options.times.transfer = [](int, int) { return kTransfer; };
    VirtualGossip gossip = world.make(options);
    Waits waits(n);
    while (gossip.transfers() < 20000) {
      ASSERT_TRUE(gossip.advance()) << graph << " came to a halt";
      waits.look(gossip);
    }
    EXPECT_LE(waits.worst_mean(), 1.5 * waits.mean()) << graph;
    EXPECT_LE(waits.quantile(0.99), 5 * waits.mean()) << graph;
    EXPECT_LE(waits.quantile(0.99), 1.5 * kTransfer) << graph;
    EXPECT_LE(waits.quantile(1), 6 * kTransfer) << graph;
    const double words = 2.0 * static_cast<double>(gossip.words()) /
                         static_cast<double>(gossip.transfers());
    EXPECT_LE(words, 12) << graph;
  }
}

// The paper's largest scale.
TEST(VirtualGossip, ServesAThousandAndEight) {
  constexpr int n = 1008;
  World world(n, accelerated("ring", n), 0, true);
  VirtualGossipOptions options = options_of("ring", n);
  options.total_gradients = int64_t{30} * n;
  VirtualGossip gossip = world.make(options);
  const double before = world.consensus_distance();
  finish(gossip);
  EXPECT_EQ(gossip.gradients(), options.total_gradients);
  EXPECT_NEAR(
      static_cast<double>(gossip.transfers()),
      static_cast<double>(gossip.gradients()),
      0.1 * static_cast<double>(gossip.gradients()));
  for (int i = 0; i < n; ++i)
    EXPECT_GE(gossip.statistics(i).averagings, 10) << i;
  EXPECT_LT(world.consensus_distance(), 0.5 * before);
}

} // namespace
} // namespace grapevine::sim
