#include "sim/gossip_forecast.h"

#include "algo/sgd.h"
#include "base/check.h"
#include "base/error.h"
#include "gossip/neighbours.h"
#include "sim/virtual_gossip.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace grapevine::sim {
namespace {

// Of all workers.
struct Progress {
  double seconds = 0;
  double gradients = 0;
  double averagings = 0;
  double words = 0;

  Progress operator-(const Progress& other) const {
    return {
        seconds - other.seconds,
        gradients - other.gradients,
        averagings - other.averagings,
        words - other.words};
  }
  double averagings_per_gradient() const { return averagings / gradients; }
};

// A run whose replicas are a single number that never changes, and whose
// gradients can be made to take longer.
class EmptyRun : private VirtualGossipHost {
 public:
  EmptyRun(
      const std::vector<std::vector<int>>& neighbours,
      VirtualTimes times,
      double rate,
      uint64_t seed)
      : n_(static_cast<int>(neighbours.size())),
        rule_({.momentum = 0}) {
    times.gradient = [this, seconds = times.gradient](int worker, int64_t t) {
      return slowdown_ * counted(seconds(worker, t));
    };
    const auto layout = std::make_shared<tensor::Layout>(
        std::vector<tensor::TensorEntry>{{.name = "nothing", .shape = {1}}});
    const auto no_buffers = std::make_shared<tensor::Layout>();
    std::vector<gossip::Replica*> replicas;
    for (int i = 0; i < n_; ++i) {
      arenas_.push_back(std::make_unique<tensor::Arena>(layout, no_buffers, 0));
      replicas_.push_back(std::make_unique<gossip::Replica>(
          *arenas_.back(),
          gossip::plain_dynamics(),
          1));
      replicas.push_back(replicas_.back().get());
    }
    VirtualGossipHost& host = *this;
    run_ = std::make_unique<VirtualGossip>(
        VirtualGossipOptions{
            .neighbours = neighbours,
            .rate = rate,
            .seed = seed,
            .total_gradients = std::numeric_limits<int64_t>::max(),
            .times = std::move(times)},
        replicas,
        rule_,
        host);
  }

  // Until each worker has done so many gradients more, in the mean, and there
  // are as many averagings more.
  Progress advance(int iterations, double averagings = 0) {
    const Progress before = progress();
    Progress done;
    do {
      const int64_t end = run_->gradients() + int64_t{n_} * iterations;
      while (run_->gradients() < end)
        run_->advance();
      done = progress() - before;
    } while (done.averagings < averagings);
    return done;
  }

  // From the next gradients on.
  void slow_down() { slowdown_ *= 2; }
  // Of a gradient, as it is without that.
  double mean_seconds() const { return computed_ / begun_; }

 private:
  void begin_gradient(int, int64_t) override {}
  algo::StepInfo finish_gradient(int, int64_t, int64_t) override { return {}; }
  void gradient_done(int, int64_t, int64_t) override {}

  double counted(double seconds) {
    // The clock would stand still.
    if (!(seconds > 0)) {
      throw ConfigError(
          "gossip: a gradient that takes no time leaves none to average in");
    }
    ++begun_;
    computed_ += seconds;
    return seconds;
  }

  Progress progress() const {
    Progress progress{
        .seconds = run_->now(),
        .gradients = static_cast<double>(run_->gradients()),
        .words = static_cast<double>(run_->words())};
    for (int i = 0; i < n_; ++i) {
      progress.averagings +=
          static_cast<double>(run_->statistics(i).averagings);
    }
    return progress;
  }

  int n_;
  double slowdown_ = 1;
  double begun_ = 0;
  double computed_ = 0;
  algo::Sgd rule_;
  std::vector<std::unique_ptr<tensor::Arena>> arenas_;
  std::vector<std::unique_ptr<gossip::Replica>> replicas_;
  std::unique_ptr<VirtualGossip> run_;
};

constexpr int kWarmUp = 20; // iterations

// Instead of so many iterations with one averaging for each gradient. It is
// averagings that are counted: if they are rare it takes more, if each
// iteration has many a part of them says as much.
int iterations(int count, double rate) {
  constexpr double kMany = 10;
  const double factor = rate < 1 ? rate : std::max(1.0, rate / kMany);
  return static_cast<int>(std::ceil(count / factor));
}

} // namespace

GossipForecaster::GossipForecaster(
    const graph::Schedule& schedule,
    const Costs& costs,
    const ModelOptions& options,
    double rate,
    int steps)
    : neighbours_(gossip::neighbours_in(schedule)),
      options_(options),
      rate_(rate) {
  GV_CHECK(rate > 0);
  // Many workers say as much in less time.
  constexpr int kEnough = 10000; // gradients
  constexpr int kLeastSteps = 20;
  steps_ = std::min(steps, std::max(kLeastSteps, kEnough / options.n));
  steps_ = iterations(steps_, rate);
  VirtualTimes times = times_on(costs, options, costs.compute.model_bytes());
  times.word = times.transfer = [](int, int) { return 0.0; };
  times.ways = nullptr;
  EmptyRun run(neighbours_, times, rate_, options.seed);
  run.advance(iterations(kWarmUp, rate_));
  const Progress done = run.advance(steps_);
  wanted_ = done.averagings_per_gradient();
  seconds_ = done.seconds * options.n / done.gradients;
  compute_ = run.mean_seconds();
}

GossipForecast GossipForecaster::forecast(const Costs& costs) const {
  GossipForecast forecast{
      .times = {.seconds = seconds_, .compute = compute_},
      .averagings = wanted_};
  if (wanted_ == 0) return forecast; // a single worker
  EmptyRun run(
      neighbours_,
      times_on(costs, options_, costs.compute.model_bytes()),
      rate_,
      options_.seed);
  // Links that carry far less than is wanted carry as much if less is wanted,
  // and an averaging is found without thousands of gradients.
  constexpr double kBusy = 0.25;
  // Averagings enough for a mean, and one of each worker.
  const double enough = std::max(100.0, 1.0 * options_.n);
  const int some = std::max(
      iterations(kWarmUp, rate_),
      static_cast<int>(std::ceil(enough / (wanted_ * options_.n))));
  while (run.advance(some).averagings_per_gradient() < kBusy * wanted_)
    run.slow_down();
  const Progress done = run.advance(steps_, enough);
  const double carried = done.averagings / done.seconds;
  forecast.times.seconds = std::max(seconds_, wanted_ * options_.n / carried);
  forecast.times.exposed = forecast.times.waited =
      forecast.times.seconds - seconds_;
  forecast.words = wanted_ * done.words / done.averagings;
  return forecast;
}

double
gossip_steps_to_agree(const graph::Spectrum& spectrum, int n, double rate) {
  if (n == 1) return 1;
  if (!spectrum.chi1 || rate == 0) return kUnlimited;
  // docs/plan.md
  constexpr double kRing = 0.8;
  constexpr double kComplete = 0.5;
  const double slope = kRing / std::sqrt(*spectrum.chi1 * *spectrum.chi2) -
                       (kRing - kComplete) / *spectrum.chi1;
  // That of the logarithm of the squared distance.
  return std::log(100) / (rate * slope);
}

} // namespace grapevine::sim
