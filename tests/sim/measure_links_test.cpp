#include "sim/measure_links.h"

#include "net/transports.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>

namespace grapevine::sim {
namespace {

TEST(Matchings, EveryPairMeetsOnce) {
  EXPECT_EQ(matching_rounds(0), 0);
  EXPECT_EQ(matching_rounds(1), 0);
  for (int n = 2; n <= 17; ++n) {
    std::set<std::pair<int, int>> met;
    for (int round = 0; round < matching_rounds(n); ++round) {
      const auto partners = matching(n, round);
      for (int i = 0; i < n; ++i) {
        const int j = partners[i];
        if (j < 0) {
          EXPECT_EQ(n % 2, 1);
          continue;
        }
        EXPECT_NE(j, i);
        EXPECT_EQ(partners[j], i);
        if (i > j) continue;
        EXPECT_TRUE(met.insert({i, j}).second) << n;
      }
    }
    EXPECT_EQ(met.size(), static_cast<size_t>(n * (n - 1) / 2));
  }
}

std::vector<LinkMeasurement> measure(int n) {
  auto transports = net::make_local_transports(n);
  std::vector<LinkMeasurement> links;
  std::vector<std::jthread> threads;
  for (int i = 0; i < n; ++i) {
    threads.emplace_back([&, i] {
      mix::Communicator communicator(std::move(transports[i]), {});
      auto found = measure_links(communicator, {.seconds = 60});
      if (i == 0) {
        links = std::move(found);
      } else {
        EXPECT_TRUE(found.empty());
      }
      communicator.barrier();
    });
  }
  threads.clear();
  return links;
}

TEST(MeasureLinks, AllPairsOverThreads) {
  EXPECT_TRUE(measure(1).empty());
  for (const int n : {2, 3, 4}) {
    std::set<std::pair<int, int>> together;
    size_t alone = 0;
    for (const LinkMeasurement& link : measure(n)) {
      EXPECT_LT(link.a, link.b);
      EXPECT_GT(link.latency, 0);
      EXPECT_GT(link.bandwidth, 0);
      if (link.alone) {
        ++alone;
      } else {
        together.insert({link.a, link.b});
      }
    }
    EXPECT_EQ(together.size(), static_cast<size_t>(n * (n - 1) / 2));
    EXPECT_GE(alone, 1u);
  }
}

// 6 nodes of 2: 1 GB/s inside, 100 MB/s between.
std::vector<LinkMeasurement> two_levels() {
  std::vector<LinkMeasurement> links;
  for (int a = 0; a < 12; ++a) {
    for (int b = a + 1; b < 12; ++b) {
      const bool inside = a / 2 == b / 2;
      links.push_back(
          {.a = a,
           .b = b,
           .latency = inside ? 1e-5 : 1e-4,
           .bandwidth = inside ? 1e9 : 5e7,
           .alone = false});
    }
  }
  links.push_back({0, 1, 1e-5, 1.5e9, true});
  links.push_back({0, 6, 1e-4, 1e8, true});
  return links;
}

TEST(LinkLevels, MediansOfTheLevels) {
  Costs costs;
  add_links(costs, two_levels(), 12, 2);
  EXPECT_EQ(costs.nodes, 6);
  EXPECT_EQ(costs.workers_per_node, 2);
  EXPECT_EQ(
      costs.inside,
      (Level{.latency = 1e-5, .bandwidth = 1.5e9, .shared = 2e9}));
  EXPECT_EQ(
      costs.between,
      (Level{.latency = 1e-4, .bandwidth = 1e8, .shared = 1e8}));
  EXPECT_TRUE(costs.node_rates.empty());
  EXPECT_TRUE(costs.link_rates.empty());
}

TEST(LinkLevels, OneNodeAndNodesOfOne) {
  Costs costs;
  add_links(costs, two_levels(), 12, 12);
  EXPECT_EQ(costs.nodes, 1);
  EXPECT_TRUE(costs.inside);
  EXPECT_FALSE(costs.between);
  costs = {};
  add_links(costs, two_levels(), 12, 1);
  EXPECT_FALSE(costs.inside);
  EXPECT_TRUE(costs.between);
  costs = {};
  add_links(costs, {}, 1, 1);
  EXPECT_FALSE(costs.inside || costs.between);
}

TEST(LinkLevels, ASlowNodeIsNamedAndItsLinksAreNot) {
  auto links = two_levels();
  for (LinkMeasurement& link : links) {
    const bool touches = link.a / 2 == 4 || link.b / 2 == 4;
    if (touches && link.a / 2 != link.b / 2) link.bandwidth /= 4;
  }
  Costs costs;
  add_links(costs, links, 12, 2);
  ASSERT_EQ(costs.node_rates.size(), 1u);
  EXPECT_EQ(costs.node_rates[0].node, 4);
  EXPECT_NEAR(costs.node_rates[0].shared, 2.5e7, 1);
  EXPECT_TRUE(costs.link_rates.empty());
}

TEST(LinkLevels, ASlowLinkIsNamed) {
  auto links = two_levels();
  for (LinkMeasurement& link : links) {
    if (link.a == 1 && link.b == 7) link.bandwidth /= 10;
    if (link.a == 2 && link.b == 9) link.latency = 0.01;
  }
  Costs costs;
  add_links(costs, links, 12, 2);
  EXPECT_TRUE(costs.node_rates.empty());
  ASSERT_EQ(costs.link_rates.size(), 2u);
  EXPECT_EQ(costs.link_rates[0].b, 7);
  EXPECT_EQ(costs.link_rates[1].latency, 0.01);
}

TEST(LinkLevels, OfTwoLinksNobodyCanSayWhich) {
  Costs costs;
  add_links(costs, {{0, 1, 1e-5, 1e9, false}, {2, 3, 1e-5, 1e8, false}}, 4, 2);
  EXPECT_TRUE(costs.link_rates.empty());
}

} // namespace
} // namespace grapevine::sim
