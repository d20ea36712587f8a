#include "planner/gossip_forecast.h"

#include "gossip/neighbours.h"
#include "gossip/virtual_gossip.h"
#include "optim/sgd.h"

#include <algorithm>
#include <cmath>
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
  double computed = 0;
  double averagings = 0;
  double words = 0;

  Progress operator-(const Progress& other) const {
    return {
        now - other.now,
        computed - other.computed,
        averagings - other.averagings,
        words - other.words};
  }
};

// What happens in `steps` iterations behind `warm_up`.
Progress progress_in(
    const std::vector<std::vector<int>>& neighbours,
    const gossip::VirtualTimes& times,
    uint64_t seed,
    int64_t warm_up,
    int64_t steps) {
  const auto n = static_cast<int64_t>(neighbours.size());
  NoValues workers(static_cast<int>(n), times);
  // Some more than are counted: at the end nobody begins another.
  gossip::VirtualGossip run = workers.run(
      {.neighbours = neighbours,
       .seed = seed,
       .total_gradients = n * (warm_up + steps + 1)});
  const auto advance_to = [&](int64_t gradients) {
    while (run.gradients() < gradients && run.advance()) {
    }
    Progress progress{
        .now = run.now(),
        .computed = workers.computed(),
        .words = static_cast<double>(run.words())};
    for (int i = 0; i < n; ++i) {
      progress.averagings += static_cast<double>(run.statistics(i).averagings);
    }
    return progress;
  };
  const Progress before = advance_to(n * warm_up);
  return advance_to(n * (warm_up + steps)) - before;
}

} // namespace

GossipForecast forecast_gossip(
    const graph::Schedule& schedule,
    const runtime::Costs& costs,
    const gossip::TimedCluster& cluster,
    int warm_up,
    int steps) {
  const auto neighbours = gossip::neighbours_in(schedule);
  const gossip::VirtualTimes times = gossip::times_on(costs, cluster);
  gossip::VirtualTimes free = times;
  free.word = free.transfer = [](int, int) { return 0.0; };
  free.ways = nullptr;
  const auto progress_with = [&](const gossip::VirtualTimes& how) {
    return progress_in(neighbours, how, cluster.seed, warm_up, steps);
  };
  const Progress done = progress_with(times);
  const double wanted = progress_with(free).averagings;
  const auto gradients = static_cast<double>(int64_t{cluster.n} * steps);
  const double unheld = done.now / steps;
  const double seconds =
      wanted > done.averagings ? unheld * wanted / done.averagings : unheld;
  return {
      .times =
          {.seconds = seconds,
           .compute = done.computed / gradients,
           .exposed = seconds - unheld,
           .waited = seconds - unheld},
      .averagings = wanted / gradients,
      .words = done.words / gradients};
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
