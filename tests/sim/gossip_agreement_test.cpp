// How soon gossip agrees, against a simulation: pairs of neighbours average at
// random moments, each worker once in a unit of time.
#include "sim/gossip_forecast.h"

#include "base/random.h"
#include "gossip/dynamics.h"
#include "gossip/neighbours.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace grapevine::sim {
namespace {

struct Case {
  const char* graph;
  int n;
  int runs;
};

void PrintTo(const Case& it, std::ostream* out) {
  *out << it.graph << " of " << it.n;
}

// n numbers and their companions (gossip/dynamics.h), on a regular graph.
class Numbers {
 public:
  Numbers(
      const std::vector<std::vector<int>>& neighbours,
      const gossip::Dynamics& dynamics,
      uint64_t seed)
      : neighbours_(neighbours),
        dynamics_(dynamics),
        random_(seed, Purpose::kTest) {
    for (size_t i = 0; i < neighbours.size(); ++i)
      x_.push_back(random_.normal());
    y_ = x_;
  }

  void run_until(double end) {
    while (true) {
      const double n = static_cast<double>(x_.size());
      const double wait = -std::log1p(-random_.uniform()) / (n / 2);
      if (now_ + wait > end) break;
      flow(wait);
      average();
    }
    flow(end - now_);
  }

  double squared_distance() const {
    double sum = 0;
    double squares = 0;
    for (const double x : x_) {
      sum += x;
      squares += x * x;
    }
    return squares - sum * sum / static_cast<double>(x_.size());
  }

 private:
  void flow(double seconds) {
    const double share = gossip::flow_share(dynamics_, seconds);
    for (size_t i = 0; i < x_.size(); ++i) {
      const double moved = share * (y_[i] - x_[i]);
      x_[i] += moved;
      y_[i] -= moved;
    }
    now_ += seconds;
  }

  void average() {
    const auto i = random_.below(x_.size());
    const auto j = neighbours_[i][random_.below(neighbours_[i].size())];
    const double difference = x_[i] - x_[j];
    x_[i] -= dynamics_.alpha * difference;
    x_[j] += dynamics_.alpha * difference;
    y_[i] -= dynamics_.alpha_y * difference;
    y_[j] += dynamics_.alpha_y * difference;
  }

  const std::vector<std::vector<int>>& neighbours_;
  gossip::Dynamics dynamics_;
  Random random_;
  double now_ = 0;
  std::vector<double> x_;
  std::vector<double> y_;
};

class GossipAgreement : public ::testing::TestWithParam<Case> {};

// By how much the logarithm of the mean squared distance falls in a unit of
// time, once fast modes have died out.
TEST_P(GossipAgreement, AsSimulated) {
  const auto [graph, n, runs] = GetParam();
  const auto schedule = graph::make_schedule({.name = graph, .n = n});
  const auto neighbours = gossip::neighbours_in(*schedule);
  const auto spectrum = graph::analyse(*schedule);
  const auto dynamics = gossip::accelerated_dynamics(spectrum, n, 1);
  const double expected = std::log(100) / gossip_steps_to_agree(spectrum, n);
  const double from = 2.5 / expected;
  const double to = 6 / expected;
  double begin = 0;
  double end = 0;
  for (int run = 0; run < runs; ++run) {
    Numbers numbers(neighbours, dynamics, run);
    numbers.run_until(from);
    begin += numbers.squared_distance();
    numbers.run_until(to);
    end += numbers.squared_distance();
  }
  EXPECT_NEAR(std::log(begin / end) / (to - from), expected, 0.15 * expected);
}

INSTANTIATE_TEST_SUITE_P(
    All,
    GossipAgreement,
    ::testing::Values(
        Case{"complete", 2, 50000},
        Case{"complete", 4, 20000},
        Case{"complete", 16, 2000},
        Case{"ring", 4, 20000},
        Case{"ring", 16, 2000},
        Case{"ring", 64, 100},
        Case{"torus", 16, 2000},
        Case{"lattice", 16, 2000},
        Case{"hypercube", 8, 5000},
        Case{"hypercube", 64, 200}));

TEST(GossipSteps, OfOneWorkerAtOtherRatesAndNever) {
  const auto steps = [](const std::string& graph, int n, double rate) {
    const auto schedule = graph::make_schedule({.name = graph, .n = n});
    return gossip_steps_to_agree(graph::analyse(*schedule), n, rate);
  };
  EXPECT_EQ(steps("ring", 1, 1), 1);
  EXPECT_NEAR(steps("ring", 8, 2), steps("ring", 8, 1) / 2, 1e-9);
  EXPECT_NEAR(steps("complete", 16, 1), 2 * std::log(100) * 15 / 16, 1e-6);
  // A graph that is not connected has no chis.
  EXPECT_EQ(
      gossip_steps_to_agree({}, 4),
      std::numeric_limits<double>::infinity());
}

} // namespace
} // namespace grapevine::sim
