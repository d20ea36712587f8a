#include "planner/gossip_forecast.h"

#include "gossip/neighbours.h"
#include "gossip/virtual_gossip.h"
#include "optim/sgd.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

namespace grapevine::planner {
namespace {

// Workers whose replicas are a single number that never changes.
class NoValues : public gossip::VirtualGossipHost {
 public:
  NoValues(int n, gossip::VirtualTimes times)
      : times_(std::move(times)),
        rule_({.momentum = 0}) {
    const auto layout = std::make_shared<arena::Layout>(
        std::vector<arena::TensorEntry>{{.name = "nothing", .shape = {1}}});
    const auto no_buffers = std::make_shared<arena::Layout>();
    for (int i = 0; i < n; ++i) {
      arenas_.push_back(std::make_unique<arena::Arena>(layout, no_buffers, 0));
      replicas_.push_back(std::make_unique<gossip::Replica>(
          *arenas_.back(),
          gossip::plain_dynamics(),
          1));
    }
  }

  gossip::VirtualGossip run(gossip::VirtualGossipOptions options) {
    options.times = times_;
    std::vector<gossip::Replica*> replicas;
    for (const auto& replica : replicas_)
      replicas.push_back(replica.get());
    return gossip::VirtualGossip(
        std::move(options),
        std::move(replicas),
        rule_,
        *this);
  }

  // Of all gradients that are done.
  double computed() const { return computed_; }

  void begin_gradient(int, int64_t) override {}
  optim::StepInfo finish_gradient(int worker, int64_t gradient, int64_t)
      override {
    computed_ += times_.gradient(worker, gradient);
    return {};
  }
  void gradient_done(int, int64_t, int64_t) override {}

 private:
  gossip::VirtualTimes times_;
  double computed_ = 0;
  optim::Sgd rule_;
  std::vector<std::unique_ptr<arena::Arena>> arenas_;
  std::vector<std::unique_ptr<gossip::Replica>> replicas_;
};

// Of all workers so far.
struct Progress {
  double now = 0;
  double gradients = 0;
  double computed = 0;
  double averagings = 0;
  double words = 0;

  Progress operator-(const Progress& other) const {
    return {
        now - other.now,
        gradients - other.gradients,
        computed - other.computed,
        averagings - other.averagings,
        words - other.words};
  }
};

class Trip {
 public:
  Trip(
      const std::vector<std::vector<int>>& neighbours,
      const gossip::VirtualTimes& times,
      uint64_t seed)
      : n_(static_cast<int>(neighbours.size())),
        workers_(n_, times),
        run_(workers_.run(
            {.neighbours = neighbours,
             .seed = seed,
             .total_gradients = std::numeric_limits<int64_t>::max()})) {}

  // Until each worker has done so many gradients, in the mean.
  Progress advance_to(int64_t iterations) {
    while (run_.gradients() < n_ * iterations)
      run_.advance();
    Progress progress{
        .now = run_.now(),
        .gradients = static_cast<double>(run_.gradients()),
        .computed = workers_.computed(),
        .words = static_cast<double>(run_.words())};
    for (int i = 0; i < n_; ++i) {
      progress.averagings += static_cast<double>(run_.statistics(i).averagings);
    }
    return progress;
  }

 private:
  int n_;
  NoValues workers_;
  gossip::VirtualGossip run_;
};

// In `steps` iterations behind some more; in a multiple of that where there are
// not as many averagings in them.
Progress progress_in(Trip& trip, int steps, double averagings) {
  constexpr int kWarmUp = 20;
  constexpr int kMostTimes = 64;
  const Progress before = trip.advance_to(kWarmUp);
  Progress done;
  for (int times = 1; times <= kMostTimes; times *= 2) {
    done = trip.advance_to(kWarmUp + int64_t{times} * steps) - before;
    if (done.averagings >= averagings) break;
  }
  return done;
}

} // namespace

GossipForecaster::GossipForecaster(
    const graph::Schedule& schedule,
    const runtime::Costs& costs,
    const gossip::TimedCluster& cluster,
    int steps)
    : neighbours_(gossip::neighbours_in(schedule)),
      cluster_(cluster) {
  // Many workers say as much in less time.
  constexpr int kEnough = 10000; // gradients
  constexpr int kLeastSteps = 20;
  steps_ = std::min(steps, std::max(kLeastSteps, kEnough / cluster.n));
  gossip::VirtualTimes times = gossip::times_on(costs, cluster);
  times.word = times.transfer = [](int, int) { return 0.0; };
  times.ways = nullptr;
  Trip trip(neighbours_, times, cluster.seed);
  const Progress done = progress_in(trip, steps_, 0);
  wanted_ = done.averagings / done.gradients;
}

GossipForecast GossipForecaster::forecast(const runtime::Costs& costs) const {
  Trip trip(neighbours_, gossip::times_on(costs, cluster_), cluster_.seed);
  // At least one of each worker, and enough for a mean.
  constexpr double kLeast = 100;
  const double least = std::min(
      wanted_ * steps_ * cluster_.n,
      std::max(kLeast, 1.0 * cluster_.n));
  const Progress done = progress_in(trip, steps_, least);
  const double rate = done.averagings / done.gradients;
  const double unheld = done.now * cluster_.n / done.gradients;
  const double seconds = done.averagings < least
                             ? runtime::kUnlimited // as good as never
                             : unheld * std::max(1.0, wanted_ / rate);
  return {
      .times =
          {.seconds = seconds,
           .compute = done.computed / done.gradients,
           .exposed = seconds - unheld,
           .waited = seconds - unheld},
      .averagings = wanted_,
      .words = done.words / done.gradients};
}

double gossip_steps_to_agree(const graph::Spectrum& spectrum) {
  if (!spectrum.chi1) return 1;     // one worker
  constexpr double kMeasured = 0.8; // docs/plan.md
  const double plain = 1 / *spectrum.chi1;
  const double accelerated =
      kMeasured / std::sqrt(*spectrum.chi1 * *spectrum.chi2);
  // The slope is that of the logarithm of the squared distance.
  return std::log(100) / std::max(plain, accelerated);
}

} // namespace grapevine::planner
