#include "mix/find_nodes.h"

#include "mix/plan_support.h"

#include <gtest/gtest.h>

namespace grapevine::mix {
namespace {

std::vector<NodeClaim> on_hosts(const std::vector<std::string>& hosts) {
  std::vector<NodeClaim> claims;
  for (const std::string& host : hosts)
    claims.push_back({.host = host});
  return claims;
}

// Places as given, all on one host, whose name must not matter then.
std::vector<NodeClaim> at(const std::vector<net::LocalPlace>& places) {
  std::vector<NodeClaim> claims;
  for (const auto& place : places)
    claims.push_back({.place = place, .host = "here"});
  return claims;
}

TEST(WorkersPerNode, ByPlaces) {
  EXPECT_EQ(workers_per_node(at({{0, 2}, {1, 2}, {0, 2}, {1, 2}})), 2);
  EXPECT_EQ(workers_per_node(at({{0, 1}, {0, 1}, {0, 1}})), 1);
  // One node.
  EXPECT_EQ(workers_per_node(at({{0, 2}, {1, 2}})), 1);
  EXPECT_EQ(workers_per_node(at({{0, 1}})), 1);
  // Dealt round robin, of unequal sizes, one worker short, out of order.
  EXPECT_EQ(workers_per_node(at({{0, 2}, {0, 2}, {1, 2}, {1, 2}})), 1);
  EXPECT_EQ(workers_per_node(at({{0, 2}, {1, 2}, {0, 1}})), 1);
  EXPECT_EQ(workers_per_node(at({{0, 2}, {1, 2}, {0, 2}})), 1);
  EXPECT_EQ(workers_per_node(at({{1, 2}, {0, 2}, {1, 2}, {0, 2}})), 1);
}

TEST(WorkersPerNode, ByHosts) {
  EXPECT_EQ(workers_per_node(on_hosts({"a", "a", "b", "b", "c", "c"})), 2);
  EXPECT_EQ(workers_per_node(on_hosts({"a", "b", "c"})), 1);
  EXPECT_EQ(workers_per_node(on_hosts({"a", "a", "a"})), 1);
  EXPECT_EQ(workers_per_node(on_hosts({"a", "b", "a", "b"})), 1);
  EXPECT_EQ(workers_per_node(on_hosts({"a", "a", "b"})), 1);
  // Where one worker has no place, nobody's counts.
  auto mixed = on_hosts({"a", "a", "b", "b"});
  mixed[1].place = {1, 4};
  EXPECT_EQ(workers_per_node(mixed), 2);
}

TEST(WorkersPerNode, AreFoundTogether) {
  std::vector<int> found(6);
  testing::run_workers(6, testing::options_with(4096), [&](auto& worker) {
    net::LaunchEnvironment environment;
    environment.local_place = net::LocalPlace{worker.rank() % 3, 3};
    found[worker.rank()] = find_workers_per_node(worker, environment);
  });
  EXPECT_EQ(found, std::vector<int>(6, 3));
  testing::run_workers(6, testing::options_with(4096), [&](auto& worker) {
    found[worker.rank()] = find_workers_per_node(worker, {});
  });
  EXPECT_EQ(found, std::vector<int>(6, 1)); // one host
}

} // namespace
} // namespace grapevine::mix
