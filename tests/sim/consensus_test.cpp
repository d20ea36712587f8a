// How fast gossip without gradients agrees: pairs of neighbours average at
// random times, each worker once in a unit of time. In the process of the
// theory, where any edge may fire at any time, on numbers and on replicas; and
// in the simulation, where workers must find each other.
#include "base/random.h"
#include "gossip/neighbours.h"
#include "sim/gossip_forecast.h"
#include "sim/virtual_world.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace grapevine::sim {
namespace {

using Neighbours = std::vector<std::vector<int>>;

// When which pairs average.
class Pairs {
 public:
  Pairs(const Neighbours& neighbours, uint64_t seed)
      : neighbours_(neighbours),
        random_(seed, Purpose::kTest) {}

  // Calls average(i, j), at now(), for every pair until then.
  template <typename Average>
  void run_until(double end, const Average& average) {
    while (true) {
      const auto n = static_cast<double>(neighbours_.size());
      const double wait = -std::log1p(-random_.uniform()) / (n / 2);
      if (now_ + wait > end) break;
      now_ += wait;
      const auto i = static_cast<int>(random_.below(neighbours_.size()));
      const auto& others = neighbours_[i];
      average(i, others[random_.below(others.size())]);
    }
    now_ = end;
  }
  double now() const { return now_; }
  Random& random() { return random_; }

 private:
  const Neighbours& neighbours_;
  Random random_;
  double now_ = 0;
};

// n numbers and their companions (gossip/dynamics.h), on a regular graph.
class Numbers {
 public:
  Numbers(
      const Neighbours& neighbours,
      const gossip::Dynamics& dynamics,
      uint64_t seed)
      : pairs_(neighbours, seed),
        dynamics_(dynamics) {
    for (size_t i = 0; i < neighbours.size(); ++i)
      x_.push_back(pairs_.random().normal());
    y_ = x_;
  }

  void run_until(double end) {
    pairs_.run_until(end, [&](int i, int j) {
      flow();
      const double difference = x_[i] - x_[j];
      x_[i] -= dynamics_.alpha * difference;
      x_[j] += dynamics_.alpha * difference;
      y_[i] -= dynamics_.alpha_y * difference;
      y_[j] += dynamics_.alpha_y * difference;
    });
    flow();
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
  void flow() {
    const double share = gossip::flow_share(dynamics_, pairs_.now() - flowed_);
    for (size_t i = 0; i < x_.size(); ++i) {
      const double moved = share * (y_[i] - x_[i]);
      x_[i] += moved;
      y_[i] -= moved;
    }
    flowed_ = pairs_.now();
  }

  Pairs pairs_;
  gossip::Dynamics dynamics_;
  double flowed_ = 0;
  std::vector<double> x_;
  std::vector<double> y_;
};

struct Case {
  const char* graph;
  int n;
  int runs;
};

void PrintTo(const Case& it, std::ostream* out) {
  *out << it.graph << " of " << it.n;
}

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

// The logarithm of the squared distance from the mean; now: by worker.
template <typename Now>
double log_distance(World& world, const Now& now) {
  std::vector<float> values(world.replica(0).x().size());
  std::vector<double> sum(values.size());
  double squares = 0;
  for (int i = 0; i < world.n(); ++i) {
    world.replica(i).copy_to(now(i), values);
    for (size_t e = 0; e < values.size(); ++e) {
      sum[e] += values[e];
      squares += double{values[e]} * values[e];
    }
  }
  for (const double total : sum)
    squares -= total * total / world.n();
  return std::log(squares / world.n());
}

// By how much that falls in a unit of time, once the fast modes have died out:
// in the process of the theory on a ring,
double theory_slope(
    int n,
    const gossip::Dynamics& dynamics,
    double from,
    double to,
    int seed) {
  World world(n, dynamics, 0, true, seed);
  const Neighbours ring = neighbours_of("ring", n);
  Pairs pairs(ring, seed);
  std::vector<float> mine(world.replica(0).x().size());
  std::vector<float> theirs(mine.size());
  const auto distance_at = [&](double end) {
    pairs.run_until(end, [&](int i, int j) {
      world.replica(i).copy_to(pairs.now(), mine);
      world.replica(j).copy_to(pairs.now(), theirs);
      gossip::pull_all(world.replica(i), pairs.now(), mine, theirs);
      gossip::pull_all(world.replica(j), pairs.now(), theirs, mine);
    });
    return log_distance(world, [&](int) { return pairs.now(); });
  };
  const double begin = distance_at(from);
  return (begin - distance_at(to)) / (to - from);
}

// and in the simulation: nothing takes time but gradients, which change
// nothing, and Poisson averagings follow them.
double simulated_slope(
    int n,
    const gossip::Dynamics& dynamics,
    double from,
    double to,
    int seed) {
  World world(n, dynamics, 0, true);
  VirtualGossipOptions options = options_of("ring", n);
  options.seed = seed;
  options.total_gradients = int64_t{1} << 40;
  options.times.gradient = [seed](int worker, int64_t gradient) {
    Random random(seed, Purpose::kTest, worker, gradient);
    return 0.5 + random.uniform();
  };
  options.times.word = options.times.transfer = [](int, int) { return 0.0; };
  VirtualGossip gossip = world.make(options);
  const auto distance_at = [&](double end) {
    while (gossip.now() < end)
      gossip.advance();
    return log_distance(world, [&](int i) { return gossip.units(i); });
  };
  const double begin = distance_at(from);
  return (begin - distance_at(to)) / (to - from);
}

template <typename Slope>
void expect_slopes_of_the_theory(const Slope& slope, int runs) {
  const auto mean = [&](int n, bool momentum, double from, double to) {
    const auto dynamics =
        momentum ? accelerated("ring", n) : gossip::plain_dynamics();
    double sum = 0;
    for (int run = 1; run <= runs; ++run)
      sum += slope(n, dynamics, from, to, run);
    return sum / runs;
  };
  // A2CiD2's exact slopes. Distances end where float32 does, so fast runs are
  // short.
  EXPECT_NEAR(mean(16, false, 20, 140), 0.075, 0.2 * 0.075);
  EXPECT_NEAR(mean(16, true, 20, 90), 0.22, 0.2 * 0.22);
  const double plain = mean(64, false, 300, 1500);
  const double accelerated = mean(64, true, 60, 300);
  EXPECT_NEAR(plain, 0.0049, 0.2 * 0.0049);
  EXPECT_NEAR(accelerated, 0.057, 0.2 * 0.057);
  EXPECT_GE(accelerated, 8 * plain);
}

TEST(Consensus, OfReplicasHasTheSlopesOfTheTheory) {
  expect_slopes_of_the_theory(theory_slope, 12);
}

TEST(Consensus, InTheSimulationHasThem) {
  expect_slopes_of_the_theory(simulated_slope, 6);
}

} // namespace
} // namespace grapevine::sim
