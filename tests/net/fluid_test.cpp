#include "net/shaped/fluid.h"

#include "base/random.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace grapevine::net {
namespace {

std::vector<double> rates(
    int nodes,
    const std::vector<std::pair<int, int>>& pairs) {
  std::vector<Flow> flows;
  for (const auto& [from, to] : pairs)
    flows.push_back({.from = from, .to = to, .backlog = 1});
  Fluid(nodes, 12).share(flows);
  std::vector<double> list;
  for (const Flow& flow : flows)
    list.push_back(flow.rate);
  return list;
}

TEST(Fluid, GivesAFlowAloneTheWholeRate) {
  EXPECT_EQ(rates(2, {{0, 1}}), (std::vector<double>{12}));
  // Both ways at once: a way out and a way in are two things.
  EXPECT_EQ(rates(2, {{0, 1}, {1, 0}}), (std::vector<double>{12, 12}));
  EXPECT_EQ(rates(3, {{0, 1}, {1, 2}, {2, 0}}), std::vector<double>(3, 12));
}

TEST(Fluid, SharesAWayEqually) {
  EXPECT_EQ(rates(3, {{0, 1}, {0, 2}}), (std::vector<double>{6, 6}));
  EXPECT_EQ(rates(3, {{1, 0}, {2, 0}}), (std::vector<double>{6, 6}));
  EXPECT_EQ(rates(2, {{0, 1}, {0, 1}, {0, 1}}), std::vector<double>(3, 4));
}

TEST(Fluid, WhatAFlowCannotUseIsThereForOthers) {
  // Three into node 1 get 4 each; the rest of node 0's way out goes to node 4.
  EXPECT_EQ(
      rates(5, {{0, 1}, {2, 1}, {3, 1}, {0, 4}}),
      (std::vector<double>{4, 4, 4, 8}));
}

TEST(Fluid, AFlowKeepsToItsOwnLimit) {
  const auto shared = [](double rate, double limit) {
    std::vector<Flow> flows = {
        {.from = 0, .to = 1, .backlog = 1, .limit = limit},
        {.from = 0, .to = 2, .backlog = 1}};
    if (rate > 100) flows.pop_back();
    Fluid(3, rate).share(flows);
    std::vector<double> rates;
    for (const Flow& flow : flows)
      rates.push_back(flow.rate);
    return rates;
  };
  EXPECT_EQ(shared(12, 2), (std::vector<double>{2, 10}));
  EXPECT_EQ(shared(12, 7), (std::vector<double>{6, 6}));
  // Nodes without a limit.
  EXPECT_EQ(
      shared(std::numeric_limits<double>::infinity(), 2),
      (std::vector<double>{2}));
}

TEST(Fluid, IsMaxMinFairAndWithinTheRates) {
  for (int round = 0; round < 200; ++round) {
    Random random(round, Purpose::kTest);
    const int nodes = 2 + static_cast<int>(random.below(9));
    std::vector<Flow> flows(1 + random.below(40));
    for (Flow& flow : flows) {
      flow.from = static_cast<int>(random.below(nodes));
      flow.to =
          static_cast<int>((flow.from + 1 + random.below(nodes - 1)) % nodes);
      flow.backlog = 1;
    }
    Fluid(nodes, 1).share(flows);
    std::vector<double> out(nodes), in(nodes), most_out(nodes), most_in(nodes);
    for (const Flow& flow : flows) {
      out[flow.from] += flow.rate;
      in[flow.to] += flow.rate;
      most_out[flow.from] = std::max(most_out[flow.from], flow.rate);
      most_in[flow.to] = std::max(most_in[flow.to], flow.rate);
    }
    for (int node = 0; node < nodes; ++node) {
      EXPECT_LE(out[node], 1 + 1e-9);
      EXPECT_LE(in[node], 1 + 1e-9);
    }
    // Every flow has a way that is full and in which nobody has more.
    for (const Flow& flow : flows) {
      const bool bound_out =
          out[flow.from] > 1 - 1e-6 && flow.rate > most_out[flow.from] - 1e-6;
      const bool bound_in =
          in[flow.to] > 1 - 1e-6 && flow.rate > most_in[flow.to] - 1e-6;
      EXPECT_TRUE(bound_out || bound_in) << "round " << round;
    }
  }
}

TEST(Fluid, FindsTheFirstToDrain) {
  const std::vector<Flow> flows = {
      {.backlog = 10, .rate = 2},
      {.backlog = 3, .rate = 1},
      {.backlog = 100, .rate = 50}};
  EXPECT_EQ(Fluid::first_drained(flows), 2);
}

} // namespace
} // namespace grapevine::net
