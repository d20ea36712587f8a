// How fast gossip without gradients agrees: pairs of neighbours average at
// random moments, each worker once in a unit of time.
#include "gossip/replica.h"
#include "graph/schedule.h"
#include "graph/spectrum.h"
#include "small_world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace grapevine::gossip {
namespace {

class Ring {
 public:
  Ring(int n, const Dynamics& dynamics, uint64_t seed)
      : random_(seed, Purpose::kTest) {
    for (int i = 0; i < n; ++i) {
      arenas_.push_back(make_tiny_arena(seed * 1000 + i));
      replicas_.push_back(
          std::make_unique<Replica>(*arenas_.back(), dynamics, 1 << 20));
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
    std::vector<float> values(replicas_[0]->x().size());
    std::vector<double> sum(values.size());
    double squares = 0;
    for (auto& replica : replicas_) {
      replica->copy_to(now_, values);
      for (size_t e = 0; e < values.size(); ++e) {
        sum[e] += values[e];
        squares += double{values[e]} * values[e];
      }
    }
    const auto n = static_cast<double>(replicas_.size());
    for (const double total : sum)
      squares -= total * total / n;
    return std::log(squares / n);
  }

 private:
  void average(Replica& a, Replica& b) {
    std::vector<float> mine(a.x().size());
    std::vector<float> theirs(b.x().size());
    a.copy_to(now_, mine);
    b.copy_to(now_, theirs);
    pull_all(a, now_, mine, theirs);
    pull_all(b, now_, theirs, mine);
  }

  Random random_;
  double now_ = 0;
  std::vector<std::unique_ptr<arena::Arena>> arenas_;
  std::vector<std::unique_ptr<Replica>> replicas_;
};

// By how much the logarithm of the squared distance falls in a unit of time,
// once the fast modes have died out.
double slope(int n, const Dynamics& dynamics, double from, double to) {
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

Dynamics accelerated_ring(int n) {
  const auto schedule = graph::make_schedule({.name = "ring", .n = n});
  return accelerated_dynamics(graph::analyse(*schedule), n, 1);
}

// PAPERS.md, section 3: 0.075 and 0.22, 0.0049 and 0.057. Distances end where
// float32 does, so fast runs are short.
TEST(Consensus, OfSixteenHasTheSlopesOfTheTheory) {
  EXPECT_NEAR(slope(16, plain_dynamics(), 20, 140), 0.075, 0.2 * 0.075);
  EXPECT_NEAR(slope(16, accelerated_ring(16), 20, 90), 0.22, 0.2 * 0.22);
}

TEST(Consensus, OfSixtyFourIsEightTimesFasterWithMomentum) {
  const double plain = slope(64, plain_dynamics(), 300, 1500);
  const double accelerated = slope(64, accelerated_ring(64), 60, 300);
  EXPECT_NEAR(plain, 0.0049, 0.2 * 0.0049);
  EXPECT_NEAR(accelerated, 0.057, 0.2 * 0.057);
  EXPECT_GE(accelerated, 8 * plain);
}

} // namespace
} // namespace grapevine::gossip
