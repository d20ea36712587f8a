// The constants of asynchronous gossip while workers end.
#include "run/changing_graph.h"

#include "run/tiny_spec.h"

#include <gtest/gtest.h>

namespace grapevine::run {
namespace {

run::RunConfig setup_of(const Folder& folder, const std::string& graph, int n) {
  spec::Spec spec = tiny_spec(folder);
  spec.agreement = "gossip";
  spec.continuous_momentum = true;
  spec.graph = graph;
  spec.n = n;
  return make_run_config(spec, {});
}

void expect_equal(const gossip::Dynamics& a, const gossip::Dynamics& b) {
  EXPECT_NEAR(a.eta, b.eta, 1e-9);
  EXPECT_NEAR(a.alpha_y, b.alpha_y, 1e-9);
}

TEST(ChangingGraphTest, ThoseWhoAreLeftHaveConstantsOfTheirOwn) {
  const Folder folder;
  const run::RunConfig four = setup_of(folder, "complete", 4);
  const run::RunConfig three = setup_of(folder, "complete", 3);
  run::ChangingGraph graph(four);
  EXPECT_FALSE(graph.change_at(0));
  const auto change = graph.change_at(1, {2});
  ASSERT_TRUE(change);
  expect_equal(change->dynamics, gossip_dynamics(three));
  EXPECT_EQ(change->neighbours[0], (std::vector<int>{1, 2, 3}));
  EXPECT_FALSE(graph.change_at(2, {2}));
  const auto back = graph.change_at(3, {});
  ASSERT_TRUE(back);
  expect_equal(back->dynamics, gossip_dynamics(four));
}

// A ring without two that are opposite each other, and without all but one.
TEST(ChangingGraphTest, TheConstantsStayWhereTheGraphFallsApart) {
  const Folder folder;
  const run::RunConfig ring = setup_of(folder, "ring", 4);
  run::ChangingGraph graph(ring);
  const auto apart = graph.change_at(0, {0, 2});
  ASSERT_TRUE(apart);
  expect_equal(apart->dynamics, gossip_dynamics(ring));
  const auto path = graph.change_at(0, {2});
  ASSERT_TRUE(path);
  EXPECT_LT(path->dynamics.eta, gossip_dynamics(ring).eta);
  const auto alone = graph.change_at(0, {1, 2, 3});
  ASSERT_TRUE(alone);
  expect_equal(alone->dynamics, path->dynamics);
}

} // namespace
} // namespace grapevine::run
