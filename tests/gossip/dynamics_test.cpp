// The constants of A2CiD2 against those computed from its definitions.
#include "gossip/dynamics.h"

#include "base/error.h"
#include "graph/schedule.h"

#include <gtest/gtest.h>

#include <cmath>

namespace grapevine::gossip {
namespace {

Dynamics of_graph(const std::string& name, int n, double rate = 1) {
  const auto schedule = graph::make_schedule({.name = name, .n = n});
  return accelerated_dynamics(graph::analyse(*schedule), n, rate);
}

struct Oracle {
  std::string graph;
  int n;
  double eta;
  double alpha_y;
};

TEST(Dynamics, HaveTheConstantsOfThePaper) {
  const std::vector<Oracle> oracles = {
      {"ring", 4, 0.577350, 0.577350},
      {"ring", 8, 0.289281, 0.987669},
      {"ring", 16, 0.142474, 1.871689},
      {"ring", 32, 0.070418, 3.664773},
      {"ring", 64, 0.034970, 7.262385},
      {"exponential", 16, 0.351858, 0.703716},
      {"exponential", 64, 0.285262, 0.855785},
      {"complete", 16, 16 / 30.0, 0.5},
  };
  for (const Oracle& oracle : oracles) {
    const Dynamics dynamics = of_graph(oracle.graph, oracle.n);
    EXPECT_NEAR(dynamics.eta, oracle.eta, 1e-6) << oracle.graph << oracle.n;
    EXPECT_NEAR(dynamics.alpha_y, oracle.alpha_y, 1e-6) << oracle.graph;
    EXPECT_EQ(dynamics.alpha, 0.5);
  }
}

TEST(Dynamics, MomentumGrowsWithTheRate) {
  const Dynamics once = of_graph("ring", 16, 1);
  const Dynamics twice = of_graph("ring", 16, 2);
  EXPECT_NEAR(twice.eta, 2 * once.eta, 1e-12);
  EXPECT_NEAR(twice.alpha_y, once.alpha_y, 1e-12);
}

TEST(Dynamics, FlowIsThatOfTheDifferentialEquation) {
  const Dynamics dynamics{.eta = 0.3};
  // Euler's method with tiny steps on x' = eta (y - x), y' = eta (x - y).
  double x = 1;
  double y = -2;
  constexpr int kSteps = 200000;
  const double tau = 1.7;
  for (int i = 0; i < kSteps; ++i) {
    const double flow = dynamics.eta * (y - x) * tau / kSteps;
    x += flow;
    y -= flow;
  }
  const double share = flow_share(dynamics, tau);
  EXPECT_NEAR(1 + share * (-2 - 1), x, 1e-5);
  EXPECT_NEAR(-2 - share * (-2 - 1), y, 1e-5);
  EXPECT_EQ(flow_share(dynamics, 0), 0);
  EXPECT_EQ(flow_share(plain_dynamics(), 5), 0);
}

TEST(Dynamics, OfOneWorkerArePlain) {
  EXPECT_FALSE(accelerated_dynamics({}, 1, 1).is_accelerated());
}

TEST(Dynamics, OfAGraphInPartsAreRefused) {
  EXPECT_THROW(accelerated_dynamics({}, 4, 1), ConfigError);
}

} // namespace
} // namespace grapevine::gossip
