// How fast gossip without gradients agrees: pairs of neighbours average at
// random moments, each worker once in a unit of time. Once in the process of
// the theory, where any edge may fire at any moment; once as the engine has it,
// where workers must find each other.
#include "sim/virtual_world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace grapevine::sim {
namespace {

// The logarithm of the squared distance from the mean.
class Spread {
 public:
  explicit Spread(size_t size) : values_(size), sum_(size) {}

  void add(gossip::Replica& replica, double now) {
    replica.copy_to(now, values_);
    for (size_t e = 0; e < values_.size(); ++e) {
      sum_[e] += values_[e];
      squares_ += double{values_[e]} * values_[e];
    }
    ++n_;
  }
  double log_distance() const {
    double squares = squares_;
    for (const double total : sum_)
      squares -= total * total / n_;
    return std::log(squares / n_);
  }

 private:
  std::vector<float> values_;
  std::vector<double> sum_;
  double squares_ = 0;
  int n_ = 0;
};

class Ring {
 public:
  Ring(int n, const gossip::Dynamics& dynamics, uint64_t seed)
      : random_(seed, Purpose::kTest) {
    for (int i = 0; i < n; ++i) {
      arenas_.push_back(gossip::make_tiny_arena(seed * 1000 + i));
      replicas_.push_back(std::make_unique<gossip::Replica>(
          *arenas_.back(),
          dynamics,
          1 << 20));
    }
  }

  // Up to this moment.
  void run_until(double end) {
    const auto n = static_cast<double>(replicas_.size());
    while (true) {
      const double wait = -std::log1p(-random_.uniform()) / (n / 2);
      if (now_ + wait > end) break;
      now_ += wait;
      const auto i = random_.below(replicas_.size());
      average(*replicas_[i], *replicas_[(i + 1) % replicas_.size()]);
    }
    now_ = end;
  }

  double log_distance() {
    Spread spread(replicas_[0]->x().size());
    for (auto& replica : replicas_)
      spread.add(*replica, now_);
    return spread.log_distance();
  }

 private:
  void average(gossip::Replica& a, gossip::Replica& b) {
    std::vector<float> mine(a.x().size());
    std::vector<float> theirs(b.x().size());
    a.copy_to(now_, mine);
    b.copy_to(now_, theirs);
    gossip::pull_all(a, now_, mine, theirs);
    gossip::pull_all(b, now_, theirs, mine);
  }

  Random random_;
  double now_ = 0;
  std::vector<std::unique_ptr<tensor::Arena>> arenas_;
  std::vector<std::unique_ptr<gossip::Replica>> replicas_;
};

// By how much the logarithm of the squared distance falls in a unit of time,
// once the fast modes have died out.
double slope(int n, const gossip::Dynamics& dynamics, double from, double to) {
  constexpr int kRuns = 12;
  double sum = 0;
  for (int run = 0; run < kRuns; ++run) {
    Ring ring(n, dynamics, 1 + run);
    ring.run_until(from);
    const double begin = ring.log_distance();
    ring.run_until(to);
    sum += (begin - ring.log_distance()) / (to - from);
  }
  return sum / kRuns;
}

gossip::Dynamics accelerated_ring(int n) {
  return accelerated("ring", n);
}

// The same of the engine: nothing takes time but gradients, which change
// nothing, and Poisson averagings follow them.
double engine_slope(
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
    Spread spread(world.replica(0).x().size());
    for (int i = 0; i < n; ++i)
      spread.add(world.replica(i), gossip.units(i));
    return spread.log_distance();
  };
  const double begin = distance_at(from);
  return (begin - distance_at(to)) / (to - from);
}

double
engine_slope(int n, const gossip::Dynamics& dynamics, double from, double to) {
  constexpr int kRuns = 6;
  double sum = 0;
  for (int run = 0; run < kRuns; ++run)
    sum += engine_slope(n, dynamics, from, to, 1 + run);
  return sum / kRuns;
}

// A2CiD2, exact slopes: 0.075 and 0.22, 0.0049 and 0.057. Distances end where
// float32 does, so fast runs are short.
TEST(Consensus, OfSixteenHasTheSlopesOfTheTheory) {
  EXPECT_NEAR(slope(16, gossip::plain_dynamics(), 20, 140), 0.075, 0.2 * 0.075);
  EXPECT_NEAR(slope(16, accelerated_ring(16), 20, 90), 0.22, 0.2 * 0.22);
}

TEST(Consensus, OfSixtyFourIsEightTimesFasterWithMomentum) {
  const double plain = slope(64, gossip::plain_dynamics(), 300, 1500);
  const double accelerated = slope(64, accelerated_ring(64), 60, 300);
  EXPECT_NEAR(plain, 0.0049, 0.2 * 0.0049);
  EXPECT_NEAR(accelerated, 0.057, 0.2 * 0.057);
  EXPECT_GE(accelerated, 8 * plain);
}

TEST(Consensus, OfSixteenInTheEngine) {
  EXPECT_NEAR(
      engine_slope(16, gossip::plain_dynamics(), 20, 140),
      0.075,
      0.2 * 0.075);
  EXPECT_NEAR(engine_slope(16, accelerated_ring(16), 20, 90), 0.22, 0.2 * 0.22);
}

TEST(Consensus, OfSixtyFourInTheEngine) {
  const double plain = engine_slope(64, gossip::plain_dynamics(), 300, 1500);
  const double accelerated = engine_slope(64, accelerated_ring(64), 60, 300);
  EXPECT_NEAR(plain, 0.0049, 0.2 * 0.0049);
  EXPECT_NEAR(accelerated, 0.057, 0.2 * 0.057);
  EXPECT_GE(accelerated, 8 * plain);
}

} // namespace
} // namespace grapevine::sim
