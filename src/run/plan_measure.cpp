#include "run/plan_measure.h"

#include "base/aligned.h"
#include "base/error.h"
#include "base/median.h"
#include "mix/bucket_queue.h"
#include "mix/collectives.h"
#include "mix/find_nodes.h"
#include "net/transports.h"
#include "run/clock.h"
#include "run/run_config.h"
#include "sim/measure_links.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <numeric>

namespace grapevine::run {
namespace {

using Json = nlohmann::json;

// Of the time that there is.
constexpr double kComputeShare = 0.5;
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

// Times what one replica does in a step: forward, backward tensor by tensor,
// update. Real time with everything that goes on meanwhile: other workers of
// the machine compute too, and that is what a run will meet.
class ComputeMeter {
 public:
  // rank: which samples it takes. seconds: for all steps that follow, from now
  // on; one to warm up and one that counts are taken in any case. Borrows the
  // config.
  ComputeMeter(const RunConfig& config, int rank, double seconds);
  // The tensors in the order in which backward finishes them here, and their
  // bytes; the first steps are done for it.
  std::vector<int> trace_order();
  std::vector<int64_t> bytes(const std::vector<int>& order) const;

  // Steps in the time that is left: forward and whatever else comes before
  // backward; then, tensor by tensor in this order, until it is final.
  // together(stop): whether anybody wants to stop; returns when all workers
  // have asked, so that they begin each step at the same time.
  std::vector<sim::ComputeSample> time_steps(
      const std::vector<int>& order,
      const std::function<bool(bool)>& together);

  // Of the local rule and a mean with one neighbour, for a byte of parameters.
  double update_seconds_per_byte();

 private:
  struct Step;
  Step step();

  const RunConfig& config_;
  int rank_;
  double seconds_;
  int64_t next_ = 0; // sample
  Worker worker_;
  Stopwatch watch_;
  data::Batch batch_;
};

struct ComputeMeter::Step {
  double seconds;    // all of it
  double backward;   // of these
  ReadyTimes finals; // from the beginning of the step
};

ComputeMeter::ComputeMeter(const RunConfig& config, int rank, double seconds)
    : config_(config),
      rank_(rank),
      seconds_(seconds),
      worker_(config.worker_options()) {}

ComputeMeter::Step ComputeMeter::step() {
  const int64_t number = next_++;
  config_.gather(rank_, number, batch_);
  Step step{0, 0, ReadyTimes(worker_.arena().layout().tensors().size())};
  record::Spans spans;
  step.finals.watch.restart();
  GradientOptions options = config_.gradient_options(rank_, number);
  options.listener = &step.finals;
  worker_.compute_gradient(batch_, options, spans);
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
    const auto& entry = worker_.arena().layout().tensors()[tensor];
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
  tensor::Arena& arena = worker_.arena();
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

std::unique_ptr<mix::Communicator> meet(
    const spec::Spec& spec,
    const net::LaunchEnvironment& environment) {
  if (environment.size == 1) return nullptr;
  if (spec.transport == net::kVirtual.name) {
    throw ConfigError(fmt::format(
        "--transport virtual: the {} workers that were started are processes",
        environment.size));
  }
  mix::CommunicatorOptions options;
  options.deadline = std::chrono::duration<double>(spec.deadline);
  options.chunk_bytes = spec.bucket_bytes;
  return std::make_unique<mix::Communicator>(
      net::make_transport(
          spec.transport.empty() ? environment.transport : spec.transport,
          environment,
          {.deadline = options.deadline}),
      options);
}

// Workers a node; all of them where they share one.
int workers_per_node(
    mix::Communicator& communicator,
    const net::LaunchEnvironment& environment) {
  const int found = mix::find_workers_per_node(communicator, environment);
  // With limited links, workers of one machine pass for nodes.
  if (found > 1 || environment.link.limits()) return found;
  const auto claim = mix::node_claim(environment, communicator.transport());
  const bool knows_place = claim.place.size > 0;
  const auto hosts = mix::all_gather(communicator, claim.host);
  const bool is_elsewhere = knows_place
                                ? claim.place.size < communicator.size()
                                : std::ranges::count(hosts, claim.host) <
                                      static_cast<int64_t>(hosts.size());
  return mix::any(communicator, is_elsewhere) ? 1 : communicator.size();
}

// What one worker sends to worker 0.
std::string to_text(
    const std::vector<sim::ComputeSample>& samples,
    double update) {
  Json forward = Json::array();
  Json backward = Json::array();
  for (const sim::ComputeSample& sample : samples) {
    forward.push_back(sample.forward);
    backward.push_back(sample.backward);
  }
  return Json{{"forward", forward}, {"backward", backward}, {"update", update}}
      .dump();
}

void add_worker(
    sim::Compute& compute,
    const std::string& text,
    size_t workers) {
  const Json json = Json::parse(text);
  auto& samples = compute.workers.emplace_back();
  for (size_t t = 0; t < json.at("forward").size(); ++t) {
    samples.push_back(
        {.forward = json["forward"][t],
         .backward = json["backward"][t].get<std::vector<double>>()});
  }
  compute.update_seconds_per_byte +=
      json.at("update").get<double>() / static_cast<double>(workers);
}

sim::Compute measure_compute(
    const RunConfig& config,
    mix::Communicator* communicator,
    double seconds) {
  const int rank = communicator ? communicator->rank() : 0;
  ComputeMeter meter(config, rank, seconds);
  std::vector<int> order = meter.trace_order();
  if (communicator) {
    // Everybody's times are those of the same buckets.
    order = Json::parse(mix::broadcast(*communicator, Json(order).dump(), 0))
                .get<std::vector<int>>();
  }
  const auto samples = meter.time_steps(order, [&](bool stop) {
    return communicator ? mix::any(*communicator, stop) : stop;
  });
  const std::string mine = to_text(samples, meter.update_seconds_per_byte());
  const std::vector<std::string> all = communicator
                                           ? mix::gather(*communicator, mine, 0)
                                           : std::vector<std::string>{mine};
  sim::Compute compute{
      .model = config.spec.model,
      .data = config.spec.data,
      .batch = config.spec.batch,
      .bucket_bytes = meter.bytes(order)};
  for (const std::string& text : all)
    add_worker(compute, text, all.size());
  return compute;
}

} // namespace

std::optional<sim::Costs> measure_cluster(
    const spec::Spec& spec,
    const net::LaunchEnvironment& environment,
    const PlanMeasureOptions& options) {
  use_one_torch_thread();
  const auto tell = [&](const std::string& phase) {
    if (options.on_phase && environment.rank == 0) options.on_phase(phase);
  };
  RunConfig config = make_run_config(spec, options.data_path);
  check_slow_workers(environment.slow, environment.size);
  config.slow = environment.slow;
  const auto communicator = meet(spec, environment);
  sim::Costs costs;
  tell("compute");
  costs.compute = measure_compute(
      config,
      communicator.get(),
      kComputeShare * options.seconds);
  if (!communicator) return costs;
  tell("links");
  const int per_node = workers_per_node(*communicator, environment);
  const auto links = sim::measure_links(
      *communicator,
      {.seconds = (1 - kComputeShare) * options.seconds});
  mix::barrier(*communicator);
  if (communicator->rank() > 0) return std::nullopt;
  add_links(costs, links, communicator->size(), per_node);
  return costs;
}

} // namespace grapevine::run
