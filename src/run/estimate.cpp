#include "run/estimate.h"

#include "mix/plan.h"
#include "run/measure.h"
#include "run/run_config.h"
#include "run/stopwatch.h"
#include "run/torch_threads.h"
#include "spec/spec.h"
#include "spec/spec_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace grapevine::run {
namespace {

// A key costs so much at most, as long as the budget lasts, and so much
// afterwards.
constexpr double kLongMeasurement = 0.8;
constexpr double kShortMeasurement = 0.1;
// Of a worker: parameters, gradients, and what the agreement keeps beside
// them. An exchange ahead has the result of the last; gossip has the replica
// that is shared, its companion, and what was read for a pair.
int planes_beside_the_state(const RunConfig& config) {
  if (config.is_asynchronous()) return config.spec.continuous_momentum ? 5 : 4;
  return config.agreement->sends_ahead() ? 3 : 2;
}

// From so many on, more replicas do not make one slower.
constexpr int kTellingReplicas = 128;
// Assumed, since they are small beside what is measured.
constexpr double kCacheBandwidth = 20e9; // bytes a second and core
constexpr double kMemoryBandwidth = 6e9;
constexpr double kHashBandwidth = 1e9;
constexpr double kDiskBandwidth = 0.5e9;
// What a replica takes beside its planes: its modules, and pages half used.
constexpr double kPlaneOverhead = 1.07;
// Moments of a schedule that stand for the whole, for graphs that change.
constexpr int kSampledMoments = 5;
constexpr double kRingCopies = 2; // are in the measured step

std::string values_of_group(const spec::Spec& spec, const std::string& group) {
  std::string values;
  for (const spec::SpecEntry& entry : spec::spec_table()) {
    if (entry.group == group) values += entry.get_toml(spec) + "\n";
  }
  return values;
}

struct Length {
  int64_t steps = 0;
  int64_t steps_per_epoch = 0;
  int64_t evaluations = 0; // the last one too
};

Length length_of(const spec::Spec& spec, const data::Dataset& dataset) {
  const int64_t per_epoch =
      data::make_sharder(*dataset.train, shard_options(spec, nullptr))
          ->steps_per_epoch();
  Length length;
  length.steps_per_epoch = per_epoch;
  length.steps = spec.epochs * per_epoch;
  if (spec.steps > 0) length.steps = std::min(length.steps, spec.steps);
  length.evaluations = 1;
  if (spec.eval_every > 0) {
    const int64_t before_the_last = (length.steps - 1) / per_epoch;
    length.evaluations += before_the_last / spec.eval_every;
  }
  return length;
}

int64_t evaluated_samples(const spec::Spec& spec, int64_t test) {
  return spec.eval_full ? test : std::min(spec.eval_samples, test);
}

// Model copies that a worker sends in a step, mean over some moments.
double
mean_copies(const spec::Spec& spec, const Length& length, int64_t model_bytes) {
  const auto schedule = graph::make_schedule(spec::graph_options(spec));
  double sum = 0;
  for (int i = 0; i < kSampledMoments; ++i) {
    graph::StepTime moment;
    moment.step = (length.steps - 1) * i / (kSampledMoments - 1);
    moment.epoch = moment.step / length.steps_per_epoch;
    moment.epochs_done = static_cast<double>(moment.step) /
                         static_cast<double>(length.steps_per_epoch);
    const auto plan = mix::make_plan(
        *schedule->at(moment),
        model_bytes,
        spec.workers_per_node);
    sum += plan->max_copies();
  }
  return sum / kSampledMoments;
}

int64_t checkpoint_count(const spec::Spec& spec, int64_t steps) {
  if (spec.checkpoint_every < 0) return 0;
  if (spec.checkpoint_every == 0) return 1;
  return 1 + (steps - 1) / spec.checkpoint_every;
}

} // namespace

struct Estimator::Task {
  data::Dataset dataset;
  double load_seconds = 0;
  int64_t data_bytes = 0;
  int64_t layout_size = 0; // floats of a plane
  int64_t buffers_size = 0;
  int64_t parameters = 0;
};

struct Estimator::Costs : StepCosts {};

Estimator::Estimator(EstimatorOptions options) : options_(std::move(options)) {
  use_one_torch_thread();
}

Estimator::~Estimator() = default;

Estimator::Task& Estimator::task(const spec::Spec& spec) {
  auto& task = tasks_[values_of_group(spec, "Task")];
  if (task) return *task;
  const Stopwatch watch;
  const int64_t before = resident_bytes();
  auto made = std::make_unique<Task>();
  const RunConfig config = make_run_config(spec, options_.data_path);
  made->dataset = config.dataset;
  made->load_seconds = watch.seconds();
  made->data_bytes = std::max<int64_t>(0, resident_bytes() - before);
  const Worker worker(config.worker_options());
  made->layout_size = worker.arena().layout().size();
  made->buffers_size = worker.arena().buffer_layout().size();
  made->parameters = worker.arena().layout().elements();
  task = std::move(made);
  return *task;
}

const Estimator::Costs& Estimator::costs(const RunConfig& config) {
  const spec::Spec& spec = config.spec;
  auto& costs = costs_[fmt::format(
      "{}{} {}",
      values_of_group(spec, "Task"),
      spec.batch,
      std::min(spec.n, kTellingReplicas))];
  if (costs) return *costs;
  const bool plenty = spent_seconds_ < options_.budget_seconds;
  const Stopwatch watch;
  costs = std::make_unique<Costs>(Costs{measure_costs(
      config,
      options_.cores,
      plenty ? kLongMeasurement : kShortMeasurement)});
  spent_seconds_ += watch.seconds();
  return *costs;
}

Estimate Estimator::estimate(const spec::Spec& spec) {
  const Task& what = task(spec);
  const data::Dataset& dataset = what.dataset;
  const RunConfig config = make_run_config_with(spec, dataset);
  const Length length = length_of(spec, dataset);
  const Costs& cost = costs(config);
  const double plane = sizeof(float) * static_cast<double>(what.layout_size);
  const auto n = static_cast<double>(spec.n);
  const auto steps = static_cast<double>(length.steps);
  const int state_planes = config.worker_options().state_planes;

  const double copies =
      mean_copies(spec, length, sizeof(float) * what.parameters);
  const double mixing =
      std::max(0.0, copies - kRingCopies) * plane / kCacheBandwidth;
  const int64_t subset = evaluated_samples(spec, dataset.test->size());
  const double evaluation = (n * static_cast<double>(subset) +
                             static_cast<double>(dataset.test->size())) *
                                cost.sample +
                            n * plane / kMemoryBandwidth;
  const double checkpoint = n * plane * (1 + state_planes) / kDiskBandwidth;
  const auto checkpoints =
      static_cast<double>(checkpoint_count(spec, length.steps));

  Estimate estimate;
  estimate.parameters = what.parameters;
  estimate.steps = length.steps;
  estimate.final_core_seconds = evaluation + n * plane / kHashBandwidth +
                                (checkpoints > 0 ? checkpoint : 0);
  estimate.core_seconds =
      what.load_seconds + n * cost.make_worker +
      steps * n * (cost.step + mixing) +
      static_cast<double>(length.evaluations - 1) * evaluation +
      std::max(0.0, checkpoints - 1) * checkpoint + estimate.final_core_seconds;

  const double sample_bytes =
      sizeof(float) * static_cast<double>(dataset.test->sample_elements());
  const double evaluated = static_cast<double>(
      dataset.test->size() + (subset < dataset.test->size() ? subset : 0));
  const double buffers = sizeof(float) * static_cast<double>(what.buffers_size);
  const int planes = planes_beside_the_state(config);
  estimate.memory_bytes = static_cast<int64_t>(
      kPlaneOverhead *
          ((n * (planes + state_planes) + 2) * plane + (n + 1) * buffers) +
      evaluated * sample_bytes +
      static_cast<double>(what.data_bytes + cost.thread_bytes));
  estimate.thread_bytes = cost.thread_bytes;
  return estimate;
}

} // namespace grapevine::run
