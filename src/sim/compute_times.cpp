#include "sim/compute_times.h"

#include "base/random.h"

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

} // namespace grapevine::sim
