// Random matchings: at every step a new perfect matching, all equally likely,
// drawn from (seed, step) by every worker alike.
//
//   x_i <- (x_i + x_j) / 2          {i,j} a pair of this step's matching
//
// Randomized pairwise gossip (Boyd et al. 2006), with all pairs of a step at
// once. Odd n leaves one worker out, another one each time. No period.
//
// Cost a step and worker: 1 message, 1 model copy. Symmetric.
#include "graph/graphs.h"
#include "graph/schedule.h"

#include "base/check.h"
#include "base/random.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <numeric>
#include <utility>

namespace grapevine::graph {
namespace {

// Workers of one process are rarely further apart than this many steps.
constexpr size_t kKeptSteps = 8;
constexpr uint64_t kStream = 0x6d617463; // "matc"
constexpr int kSampleSteps = 64;

class RandomMatching : public Schedule {
 public:
  RandomMatching(int n, uint64_t seed) : n_(n), seed_(seed) {}

  std::shared_ptr<const Mixing> at(StepTime time) const override {
    GV_CHECK_GE(time.step, 0);
    const std::lock_guard lock(mutex_);
    for (const auto& [step, mixing] : recent_) {
      if (step == time.step) return mixing;
    }
    auto mixing = std::make_shared<const Mixing>(draw(time.step));
    recent_.emplace_back(time.step, mixing);
    if (recent_.size() > kKeptSteps) recent_.pop_front();
    return mixing;
  }

  int period() const override { return 0; }
  int sample_steps() const override { return std::min(n_, kSampleSteps); }
  int n() const override { return n_; }

 private:
  Mixing draw(int64_t step) const {
    std::vector<int> order(n_);
    std::iota(order.begin(), order.end(), 0);
    Random random(seed_, Purpose::kGraph, kStream, step);
    random.shuffle(std::span<int>(order));
    std::vector<std::vector<int>> groups;
    groups.reserve(n_ / 2 + 1);
    for (int t = 0; t + 1 < n_; t += 2) {
      groups.push_back({order[t], order[t + 1]});
    }
    if (n_ % 2 == 1) groups.push_back({order.back()});
    return Mixing::groups(n_, std::move(groups));
  }

  const int n_;
  const uint64_t seed_;
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  mutable std::deque<std::pair<int64_t, std::shared_ptr<const Mixing>>> recent_;
};

} // namespace

std::unique_ptr<Schedule> make_random_matching(int n, uint64_t seed) {
  return std::make_unique<RandomMatching>(n, seed);
}

} // namespace grapevine::graph
