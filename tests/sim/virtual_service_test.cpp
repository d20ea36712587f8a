// Gossip in virtual time: that nobody is left out, however many there are.
#include "virtual_world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace grapevine::sim {
namespace {

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) /
         static_cast<double>(values.size());
}

// What each worker waited for a partner, time by time.
class Waits {
 public:
  explicit Waits(int n) : total_(n), by_worker_(n) {}

  // After each event.
  void look(const VirtualGossip& gossip) {
    for (size_t i = 0; i < total_.size(); ++i) {
      const gossip::Statistics& worker = gossip.statistics(static_cast<int>(i));
      if (worker.wait_seconds == total_[i]) continue;
      const double wait = worker.wait_seconds - total_[i];
      total_[i] = worker.wait_seconds;
      by_worker_[i].push_back(wait);
      all_.push_back(wait);
    }
  }

  double mean() const { return mean_of(all_); }
  // The mean of the worker that waits longest.
  double worst_mean() const {
    double worst = 0;
    for (const auto& waits : by_worker_)
      worst = std::max(worst, mean_of(waits));
    return worst;
  }
  // So many of all waits are at most so long.
  double quantile(double part) const {
    std::vector<double> sorted = all_;
    std::ranges::sort(sorted);
    const auto last = static_cast<double>(sorted.size() - 1);
    return sorted[static_cast<size_t>(part * last)];
  }

 private:
  std::vector<double> total_;
  std::vector<std::vector<double>> by_worker_;
  std::vector<double> all_;
};

// Everybody wants an averaging at all times: 10,000 matches, and no worker
// waits longer than the others. That is about a worker's mean wait. A single
// wait cannot be bounded so: most find somebody within a few words, and those
// whose neighbours have just begun to average wait for the end of that, which
// is more than three times the mean of all. Such waits are few, and end.
TEST(VirtualGossip, ServesEverybody) {
  constexpr int n = 32;
  constexpr double kTransfer = 0.3;
  for (const char* graph : {"complete", "ring", "random-regular"}) {
    World world(n, gossip::plain_dynamics(), 0, true);
    VirtualGossipOptions options = options_of(graph, n);
    options.rate = 50; // more than the links carry
    options.total_gradients = 1 << 30;
    options.times.transfer = [](int, int) { return kTransfer; };
    VirtualGossip gossip = world.make(options);
    Waits waits(n);
    while (gossip.transfers() < 20000) {
      ASSERT_TRUE(gossip.advance()) << graph << " came to a halt";
      waits.look(gossip);
    }
    EXPECT_LE(waits.worst_mean(), 1.5 * waits.mean()) << graph;
    EXPECT_LE(waits.quantile(0.99), 5 * waits.mean()) << graph;
    EXPECT_LE(waits.quantile(0.99), 1.5 * kTransfer) << graph;
    EXPECT_LE(waits.quantile(1), 6 * kTransfer) << graph;
    const double words = 2.0 * static_cast<double>(gossip.words()) /
                         static_cast<double>(gossip.transfers());
    EXPECT_LE(words, 12) << graph;
  }
}

// The paper's largest scale.
TEST(VirtualGossip, ServesAThousandAndEight) {
  constexpr int n = 1008;
  World world(n, accelerated("ring", n), 0, true);
  VirtualGossipOptions options = options_of("ring", n);
  options.total_gradients = int64_t{30} * n;
  VirtualGossip gossip = world.make(options);
  const double before = world.consensus_distance();
  while (gossip.advance()) {
  }
  EXPECT_EQ(gossip.gradients(), options.total_gradients);
  EXPECT_NEAR(
      static_cast<double>(gossip.transfers()),
      static_cast<double>(gossip.gradients()),
      0.1 * static_cast<double>(gossip.gradients()));
  for (int i = 0; i < n; ++i)
    EXPECT_GE(gossip.statistics(i).averagings, 10) << i;
  EXPECT_LT(world.consensus_distance(), 0.5 * before);
}

} // namespace
} // namespace grapevine::sim
