#include "sim/exchange.h"

#include "sim/comm_threads.h"
#include "sim/support.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace grapevine::sim {
namespace {

// Seconds until everybody has everything, all released at 0.
std::vector<double> seconds_of(
    const Exchange& exchange,
    const std::vector<int64_t>& buckets) {
  CommThreads threads(exchange.n);
  const std::vector<std::vector<double>> released(
      buckets.size(),
      std::vector<double>(exchange.n));
  std::vector<std::vector<double>> done;
  threads.run(exchange, buckets, released, done);
  return done.back();
}

double slowest(
    const graph::Schedule& schedule,
    const Costs& costs,
    int workers_per_node,
    int64_t bytes = kMegabyte,
    int64_t step = 0) {
  const Network network(costs, schedule.n(), workers_per_node);
  const auto plan = plan_at(schedule, step, bytes);
  return std::ranges::max(seconds_of(plan_exchange(*plan, network), {bytes}));
}

TEST(Exchange, IsLatencyAndBandwidth) {
  const auto seconds = [](const char* graph, int n) {
    return slowest(*schedule(graph, n), links(1e-3, 1e8), 1);
  };
  constexpr double kPlane = 1e6 / 1e8;
  EXPECT_NEAR(seconds("complete", 2), 1e-3 + kPlane, kClose);
  // Both neighbours share a node's rate.
  EXPECT_NEAR(seconds("ring", 8), 1e-3 + 2 * kPlane, kClose);
  // Two rounds.
  EXPECT_NEAR(seconds("complete", 8), 2 * (1e-3 + 7.0 / 8 * kPlane), kClose);
}

TEST(Exchange, NobodyTalksInNoTime) {
  const Network network(links(1, 1), 3, 1);
  const auto plan = plan_at(*schedule("complete", 3), 0, 1);
  const auto alone =
      mix::make_plan(graph::Mixing::groups(3, {{0}, {1}, {2}}), kMegabyte);
  EXPECT_EQ(
      seconds_of(plan_exchange(*alone, network), {kMegabyte}),
      (std::vector<double>{0, 0, 0}));
  EXPECT_GT(seconds_of(plan_exchange(*plan, network), {kMegabyte})[0], 0);
}

// Four pairs across two nodes pass one way out each.
TEST(Exchange, WorkersOfANodeShareItsWayOut) {
  Costs costs = links(1e-3, 1e8);
  costs.inside = Level{.latency = 1e-6, .bandwidth = 1e9, .shared = 4e9};
  const auto pairs = schedule("one-peer-exponential", 8);
  EXPECT_NEAR(
      slowest(*pairs, costs, 4, kMegabyte, 2),
      1e-3 + 4 * 1e6 / 1e8,
      kClose);
  // Inside a node each has its own way.
  EXPECT_NEAR(slowest(*pairs, costs, 4), 1e-6 + 1e6 / 1e9, kClose);
  costs.inside->shared = 1e9;
  EXPECT_NEAR(slowest(*pairs, costs, 4), 1e-6 + 4 * 1e6 / 1e9, kClose);
}

// By nodes, a pair of them exchanges the plane once, whatever they hold.
TEST(Exchange, GroupsOfWholeNodesGoByNodes) {
  Costs costs = links(0, 1e8);
  costs.inside = Level{.latency = 0, .bandwidth = 1e12, .shared = kUnlimited};
  const auto seconds = [&](int told) {
    const auto plan =
        mix::make_plan(graph::Mixing::complete(8), kMegabyte, told);
    return seconds_of(
        plan_exchange(*plan, Network(costs, 8, 4)),
        {kMegabyte})[3];
  };
  EXPECT_NEAR(seconds(4), 1e6 / 1e8, 1e-5);
  EXPECT_NEAR(seconds(1), 4 * 1e6 / 1e8, 1e-5);
}

TEST(Exchange, RatesOfANodeAndOfALink) {
  Costs costs = links(1e-3, 1e8);
  costs.node_rates = {{.node = 3, .shared = 2.5e7}};
  const auto ring = schedule("ring", 8);
  const Network network(costs, 8, 1);
  const auto exchange = plan_exchange(*plan_at(*ring, 0, kMegabyte), network);
  for (const Exchange::Part& part : exchange.rounds[0]) {
    const bool touches = part.worker >= 2 && part.worker <= 4;
    EXPECT_NEAR(part.seconds_per_byte, 2 / (touches ? 2.5e7 : 1e8), 1e-15);
  }
  costs.node_rates.clear();
  costs.link_rates = {{.a = 6, .b = 7, .latency = 0.5, .bandwidth = 1e6}};
  const auto other =
      plan_exchange(*plan_at(*ring, 0, kMegabyte), Network(costs, 8, 1));
  for (const Exchange::Part& part : other.rounds[0]) {
    const bool touches = part.worker >= 6;
    EXPECT_NEAR(part.seconds_per_byte, touches ? 1e-6 : 2e-8, 1e-15);
    EXPECT_EQ(part.latency, touches ? 0.5 : 1e-3);
  }
}

// What a plan is said to send is what the model counts.
TEST(Exchange, LoadsAreThePlansCopies) {
  for (const char* name :
       {"ring", "torus", "exponential", "hypercube", "complete"}) {
    for (const int n : {4, 8, 16}) {
      const auto graph = schedule(name, n);
      const auto plan = plan_at(*graph, 0, kMegabyte);
      const auto exchange = plan_exchange(*plan, Network(links(0, 1), n, 1));
      double copies = 0;
      for (const auto& round : exchange.rounds) {
        double most = 0;
        for (const Exchange::Part& part : round)
          most = std::max(most, part.seconds_per_byte);
        copies += most;
      }
      EXPECT_NEAR(copies, plan->max_copies(), 1e-9) << name << " " << n;
    }
  }
}

TEST(Exchange, EveryPlanEndsForEverybody) {
  const Costs costs = links(1e-4, 1e8);
  for (const int k : {2, 4, 8, 16, 30}) {
    for (const int64_t bytes : {int64_t{4096}, 40 * kMegabyte}) {
      const auto lattice = schedule("lattice", 64, 1, k);
      const auto plan = plan_at(*lattice, 0, bytes);
      const auto exchange = plan_exchange(*plan, Network(costs, 64, 1));
      for (const double seconds : seconds_of(exchange, {bytes, bytes})) {
        const auto copy = static_cast<double>(bytes) / 1e8;
        EXPECT_GE(seconds, 2 * copy * plan->copies(32) * 0.49) << k;
        EXPECT_LE(seconds, 64 * (copy * 4 + 1e-4)) << k;
      }
    }
  }
}

TEST(Exchange, MoreBandwidthIsNeverSlower) {
  for (const char* name : {"ring", "complete", "one-peer-exponential", "aer"}) {
    const auto graph = schedule(name, 16);
    double before = kUnlimited;
    for (const double rate : {1e6, 3e6, 1e7, 1e8, 1e9, kUnlimited}) {
      const double seconds = slowest(*graph, links(1e-3, rate), 1);
      EXPECT_LE(seconds, before) << name << " at " << rate;
      before = seconds;
    }
  }
}

TEST(RingExchange, IsTheFormula) {
  Costs costs = links(1e-3, 1e8);
  costs.inside = Level{.latency = 1e-6, .bandwidth = 1e9, .shared = kUnlimited};
  const auto all = graph::Mixing::complete(8);
  const auto all_reduce = [&](int workers_per_node) {
    const Network network(costs, 8, workers_per_node);
    return seconds_of(ring_exchange(all, network), {kMegabyte})[5];
  };
  EXPECT_NEAR(all_reduce(1), 14 * 1e-3 + 1.75 * 1e6 / 1e8, kClose);
  EXPECT_NEAR(all_reduce(8), 14 * 1e-6 + 1.75 * 1e6 / 1e9, kClose);
  // Two nodes: each sends the plane once.
  EXPECT_NEAR(all_reduce(4), 1e-3 + 6e-6 + 1e6 / 1e8, kClose);
  // Two pairs through one way out, and a group inside a node.
  const auto groups =
      graph::Mixing::groups(8, {{0, 4}, {1, 5}, {2, 3}, {6}, {7}});
  const auto seconds =
      seconds_of(ring_exchange(groups, Network(costs, 8, 4)), {kMegabyte});
  EXPECT_NEAR(seconds[0], 1e-3 + 2 * 1e6 / 1e8, kClose);
  EXPECT_NEAR(seconds[5], 1e-3 + 2 * 1e6 / 1e8, kClose);
  EXPECT_NEAR(seconds[2], 1e-6 + 1e6 / 1e9, kClose);
  EXPECT_EQ(seconds[6], 0);
}

TEST(RingExchange, BucketsComeOneAfterTheOther) {
  const auto exchange = ring_exchange(
      graph::Mixing::complete(2),
      Network(links(1e-3, 1e8), 2, 1));
  EXPECT_NEAR(
      seconds_of(exchange, {kMegabyte, kMegabyte, kMegabyte})[0],
      3 * (1e-3 + 1e-2),
      kClose);
}

TEST(CommThreads, LatencyOfAPipelineCountsOnce) {
  const Network network(links(1e-3, 1e8), 2, 1);
  const auto plan = plan_at(*schedule("complete", 2), 0, kMegabyte);
  EXPECT_NEAR(
      seconds_of(
          plan_exchange(*plan, network),
          std::vector<int64_t>(10, kMegabyte))[1],
      1e-3 + 10 * 1e-2,
      kClose);
}

// Buckets so small that three of them pass in less than the latency: only so
// many are on their way at once.
TEST(CommThreads, FewBucketsAreInFlight) {
  const Network network(links(1, kUnlimited), 2, 1);
  const auto plan = plan_at(*schedule("complete", 2), 0, 1);
  EXPECT_NEAR(
      seconds_of(plan_exchange(*plan, network), std::vector<int64_t>(9, 1))[1],
      3,
      kClose);
}

TEST(CommThreads, ALinkIsBusyUntilWhatWentBeforeIsOver) {
  const Network network(links(0, 1e8), 4, 1);
  const auto pairs = schedule("one-peer-exponential", 4);
  const auto first = plan_exchange(*plan_at(*pairs, 0, kMegabyte), network);
  const auto second = plan_exchange(*plan_at(*pairs, 1, kMegabyte), network);
  CommThreads threads(4);
  std::vector<std::vector<double>> done;
  // Workers 0 and 1 come late; 2 and 3 have to wait for them only when they
  // are paired with them.
  threads.run(first, std::vector<int64_t>{kMegabyte}, {{1, 0, 0, 0}}, done);
  EXPECT_NEAR(done[0][0], 1.01, kClose);
  EXPECT_NEAR(done[0][2], 0.01, kClose);
  threads.run(second, std::vector<int64_t>{kMegabyte}, {{0, 0, 0, 0}}, done);
  EXPECT_NEAR(done[0][0], 1.02, kClose);
  EXPECT_NEAR(done[0][2], 1.02, kClose);
}

TEST(Network, WantsTheLevelsThatItNeeds) {
  Costs costs;
  costs.inside = Level{};
  EXPECT_NO_THROW(Network(costs, 4, 4));
  EXPECT_THROW(Network(costs, 4, 2), ConfigError);
  costs.inside.reset();
  costs.between = Level{};
  EXPECT_NO_THROW(Network(costs, 4, 1));
  EXPECT_THROW(Network(costs, 4, 2), ConfigError);
}

} // namespace
} // namespace grapevine::sim
