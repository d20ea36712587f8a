#include "sim/model.h"

#include "base/check.h"
#include "base/random.h"

#include <utility>

namespace grapevine::sim {
namespace {

// Over all steps.
double mean_factor(const SlowOptions& slow, int rank) {
  double factor = 1 + slow.random_share * (slow.random_factor - 1);
  for (const SlowWorker& worker : slow.workers) {
    if (worker.rank == rank) factor *= worker.factor;
  }
  return factor;
}

} // namespace

ComputeTimes::ComputeTimes(
    Compute compute,
    int n,
    uint64_t seed,
    SlowOptions slow)
    : compute_(std::move(compute)),
      n_(n),
      seed_(seed),
      slow_(std::move(slow)) {
  find_mean();
}

void ComputeTimes::find_mean() {
  ComputeSample all;
  all.backward.resize(compute_.bucket_bytes.size());
  for (int i = 0; i < n_; ++i) {
    const ComputeSample own = compute_.mean(i);
    const double share = mean_factor(slow_, i) / n_;
    all.forward += share * own.forward;
    for (size_t b = 0; b < all.backward.size(); ++b)
      all.backward[b] += share * own.backward[b];
  }
  mean_.forward.assign(n_, all.forward);
  mean_.backward.assign(n_, all.backward);
}

ComputeTimes::Drawn ComputeTimes::draw(int worker, int64_t step) const {
  const size_t measured = compute_.workers.size();
  const auto& steps = compute_.workers[worker % measured];
  Random random(seed_, Purpose::kCompute, worker / measured, step);
  return {
      steps[random.below(steps.size())],
      slow_factor(slow_, seed_, worker, step)};
}

double ComputeTimes::seconds(int worker, int64_t step) const {
  const auto [sample, factor] = draw(worker, step);
  return factor * sample.total();
}

IterationCompute ComputeTimes::at(int64_t step) const {
  IterationCompute times;
  times.forward.resize(n_);
  times.backward.resize(n_);
  for (int i = 0; i < n_; ++i) {
    const auto [sample, factor] = draw(i, step);
    times.forward[i] = factor * sample.forward;
    times.backward[i] = sample.backward;
    for (double& seconds : times.backward[i])
      seconds *= factor;
  }
  return times;
}

StepTimes& StepTimes::operator+=(const StepTimes& other) {
  seconds += other.seconds;
  compute += other.compute;
  exposed += other.exposed;
  straggler += other.straggler;
  waited += other.waited;
  return *this;
}

StepTimes operator/(const StepTimes& sum, double count) {
  return {
      .seconds = sum.seconds / count,
      .compute = sum.compute / count,
      .exposed = sum.exposed / count,
      .straggler = sum.straggler / count,
      .waited = sum.waited / count};
}

RuntimeModel::RuntimeModel(const Costs& costs, ModelOptions options)
    : options_(std::move(options)),
      network_(costs, options_.n, options_.workers_per_node),
      times_(costs.compute, options_.n, options_.seed, options_.slow),
      actual_(
          options_.n,
          *options_.agreement,
          costs.compute.bucket_bytes,
          costs.compute.update_seconds_per_byte,
          options_.after_backward),
      even_(actual_) {}

std::shared_ptr<const Exchange> RuntimeModel::exchange_of(
    const mix::Plan& plan) {
  return exchanges_.get(plan.id(), [&] {
    const bool in_place = !options_.agreement->sends_ahead();
    return std::make_shared<const Exchange>(
        plan_exchange(plan, network_, in_place));
  });
}

StepTimes RuntimeModel::advance(int64_t step, const mix::Plan& plan) {
  return advance(step, *exchange_of(plan));
}

double RuntimeModel::advance_alone(
    int64_t step,
    const Exchange& exchange,
    double byte) {
  return actual_.advance(times_.at(step), exchange, byte).seconds;
}

StepTimes
RuntimeModel::advance(int64_t step, const Exchange& exchange, double byte) {
  const auto actual = actual_.advance(times_.at(step), exchange, byte);
  const auto even = even_.advance(times_.mean(), exchange, byte);
  return {
      .seconds = actual.seconds,
      .compute = even.computed,
      .exposed = even.waited,
      .straggler = actual.seconds - even.seconds,
      .waited = actual.waited};
}

std::vector<double> RuntimeModel::state() const {
  std::vector<double> state = actual_.state();
  const std::vector<double> even = even_.state();
  state.insert(state.end(), even.begin(), even.end());
  return state;
}

bool RuntimeModel::has_moved_evenly(std::span<const double> since) const {
  const size_t half = since.size() / 2;
  return actual_.has_moved_evenly(since.first(half)) &&
         even_.has_moved_evenly(since.subspan(half));
}

void RuntimeModel::restore(std::span<const double> state) {
  const size_t half = state.size() / 2;
  actual_.restore(state.first(half));
  even_.restore(state.subspan(half));
}

} // namespace grapevine::sim
