#include "run/compute_meter.h"

#include "base/aligned.h"
#include "base/median.h"
#include "mix/bucket_queue.h"
#include "run/stopwatch.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace grapevine::run {
namespace {

constexpr int kWarmUp = 3;
constexpr double kWarmUpShare = 0.3; // of the time
constexpr int kMostSteps = 100;
constexpr int kUpdates = 9;
constexpr double kRate = 1e-6; // nothing diverges by measuring

// When each tensor was final, in seconds of its watch.
class ReadyTimes : public mix::GradientListener {
 public:
  explicit ReadyTimes(size_t tensors) : times(tensors, -1) {}
  void tensor_ready(int tensor) override { times[tensor] = watch.seconds(); }

  Stopwatch watch;
  std::vector<double> times; // -1: never
};

} // namespace

struct ComputeMeter::Step {
  double seconds;    // all of it
  double backward;   // of these
  ReadyTimes finals; // from the beginning of the step
};

ComputeMeter::ComputeMeter(const RunConfig& config, int rank, double seconds)
    : config_(config),
      rank_(rank),
      seconds_(seconds),
      worker_(std::make_unique<Worker>(config.worker_options())) {}

ComputeMeter::~ComputeMeter() = default;

ComputeMeter::Step ComputeMeter::step() {
  const int64_t number = next_++;
  config_.gather(rank_, number, batch_);
  Step step{0, 0, ReadyTimes(worker_->arena().layout().tensors().size())};
  record::Spans spans;
  step.finals.watch.restart();
  GradientOptions options = config_.gradient_options(rank_, number);
  options.listener = &step.finals;
  worker_->compute_gradient(batch_, options, spans);
  step.seconds = step.finals.watch.seconds();
  step.backward = spans.seconds(record::Span::kBackward);
  return step;
}

std::vector<int> ComputeMeter::trace_order() {
  std::vector<double> times;
  for (int i = 0; i < kWarmUp; ++i) {
    times = step().finals.times;
    if (watch_.seconds() > kWarmUpShare * seconds_) break;
  }
  std::vector<int> order(times.size());
  std::iota(order.begin(), order.end(), 0);
  // Tensors that take no part stand at the end.
  std::ranges::stable_sort(order, {}, [&](int tensor) {
    return times[tensor] < 0 ? std::numeric_limits<double>::infinity()
                             : times[tensor];
  });
  return order;
}

std::vector<int64_t> ComputeMeter::bytes(const std::vector<int>& order) const {
  std::vector<int64_t> bytes;
  for (const int tensor : order) {
    const auto& entry = worker_->arena().layout().tensors()[tensor];
    bytes.push_back(entry.elements * static_cast<int64_t>(sizeof(float)));
  }
  return bytes;
}

std::vector<sim::ComputeSample> ComputeMeter::time_steps(
    const std::vector<int>& order,
    const std::function<bool(bool)>& together) {
  std::vector<sim::ComputeSample> samples;
  double last = 0; // step
  const auto wants_to_stop = [&] {
    return samples.size() >= kMostSteps ||
           (!samples.empty() && watch_.seconds() + last > seconds_);
  };
  while (!together(wants_to_stop())) {
    const Step done = step();
    last = done.seconds;
    // With several parts of a batch, all but the last count as forward.
    double at = std::max(0.0, done.seconds - done.backward);
    sim::ComputeSample sample{.forward = at, .backward = {}};
    for (const int tensor : order) {
      const double ready = done.finals.times[tensor];
      const double now = std::max(at, ready < 0 ? done.seconds : ready);
      sample.backward.push_back(now - at);
      at = now;
    }
    sample.backward.back() += done.seconds - at;
    samples.push_back(std::move(sample));
  }
  return samples;
}

double ComputeMeter::update_seconds_per_byte() {
  tensor::Arena& arena = worker_->arena();
  const Range whole{0, arena.layout().size()};
  // With one neighbour's parameters, as combine-while-adapt does it.
  AlignedFloats neighbour(whole.size());
  std::ranges::copy(arena.parameters(), neighbour.data());
  const std::array<const float*, 2> terms = {
      arena.parameters().data(),
      neighbour.data()};
  const tensor::MixTerms mix{.terms = terms, .weights = {}, .scale = 0.5F};
  std::vector<double> seconds;
  for (int i = 0; i < kUpdates; ++i) {
    const Stopwatch watch;
    config_.rule->update(arena, whole, {.step = i, .lr = kRate}, mix, {});
    seconds.push_back(watch.seconds());
  }
  const auto bytes = static_cast<double>(whole.size() * sizeof(float));
  return median(seconds) / bytes;
}

} // namespace grapevine::run
