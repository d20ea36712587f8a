#include "run/estimate.h"

#include "base/thread_pool.h"
#include "mix/plan.h"
#include "run/clock.h"
#include "run/numbers.h"
#include "run/run_config.h"
#include "spec/spec.h"
#include "spec/spec_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <numeric>

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

// Assumed, since they are small beside what is measured.
constexpr double kCacheBandwidth = 20e9; // bytes a second and core
constexpr double kMemoryBandwidth = 6e9;
// What a replica takes beside its planes: its modules, and pages half used.
constexpr double kPlaneOverhead = 1.07;
// Moments of a schedule that stand for the whole, for graphs that change.
constexpr int kSampledMoments = 5;

// Planes of all replicas together: more than caches hold, so that a step finds
// as little of the last one there as it will in a large run.
constexpr int64_t kMostPlaneBytes = int64_t{256} << 20;
constexpr int64_t kMostReplicas = 8; // of a trial
constexpr int64_t kEvaluated = 500;  // samples, one batch of an evaluation

int64_t status_bytes(const std::string& key) {
  std::ifstream file("/proc/self/status");
  for (std::string word; file >> word;) {
    int64_t kibibytes = 0;
    if (word == key && file >> kibibytes) return kibibytes << 10;
  }
  return 0;
}

// Returns the memory that the process uses; 0 if the system does not tell.
int64_t resident_bytes() {
  return status_bytes("VmRSS:");
}

// From here on the peak is that of what follows.
void forget_peak() {
  std::ofstream("/proc/self/clear_refs") << "5";
}

int64_t peak_bytes() {
  return status_bytes("VmHWM:");
}

// Seconds that this thread has computed: not what others took from it, which
// says nothing about the next hour.
class CpuWatch {
 public:
  double seconds() const { return read() - start_; }

 private:
  static double read() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) +
           1e-9 * static_cast<double>(time.tv_nsec);
  }
  double start_ = read();
};

// A few replicas that train by turns on one thread, as those of a run will.
class Trial {
 public:
  Trial(const RunConfig& config, int replicas) : config_(config) {
    for (int i = 0; i < replicas; ++i)
      workers_.emplace_back(config_.worker_options());
  }

  // Returns core-seconds per gradient with its update, of about so many
  // seconds of them.
  double time_steps(double seconds) {
    take_step(); // pays for torch's own preparations
    return time(seconds, [&] {
      take_step();
      return 1;
    });
  }

  // The same per evaluated sample.
  double time_evaluation(double seconds) {
    std::vector<int64_t> indices(
        std::min(kEvaluated, config_.dataset.test->size()));
    std::iota(indices.begin(), indices.end(), 0);
    const EvaluationSet set(
        *config_.dataset.test,
        indices,
        {.in_streams = config_.in_streams});
    workers_.front().set_training(false);
    return time(seconds, [&] {
      workers_.front().score(set);
      return set.samples();
    });
  }

 private:
  template <typename Work>
  static double time(double seconds, const Work& work) {
    const Stopwatch limit;
    const CpuWatch watch;
    int64_t done = 0;
    do {
      done += work();
    } while (limit.seconds() < seconds);
    return watch.seconds() / static_cast<double>(done);
  }

  void take_step() {
    Worker& worker = workers_[next_++ % workers_.size()];
    config_.gather(0, 0, batch_);
    record::Spans spans;
    worker.compute_gradient(batch_, config_.gradient_options(0, 0), spans);
    tensor::Arena& arena = worker.arena();
    config_.rule->update(
        arena,
        {0, arena.layout().size()},
        {.step = 0, .lr = kRate},
        {},
        {});
  }

  static constexpr double kRate = 1e-6; // nothing diverges by measuring

  const RunConfig& config_;
  data::Batch batch_;
  std::vector<Worker> workers_;
  size_t next_ = 0;
};

// Bytes of a replica's planes.
int64_t plane_bytes(const RunConfig& config, int64_t layout_size) {
  return layout_size * (2 + config.worker_options().state_planes) *
         static_cast<int64_t>(sizeof(float));
}

std::string values_of_group(const spec::Spec& spec, const std::string& group) {
  std::string values;
  for (const spec::SpecEntry& entry : spec::spec_table()) {
    if (entry.group == group) values += entry.get_toml(spec) + "\n";
  }
  return values;
}

// Evaluations before the last one.
int64_t evaluations_of(const RunConfig& config) {
  if (config.spec.eval_every <= 0) return 0;
  return (config.total_steps - 1) / config.steps_per_epoch() /
         config.spec.eval_every;
}

int64_t evaluated_samples(const spec::Spec& spec, int64_t test) {
  return spec.eval_full ? test : std::min(spec.eval_samples, test);
}

// Model copies that a worker sends in a step, mean over some moments.
double mean_copies(const RunConfig& config, int64_t model_bytes) {
  double sum = 0;
  for (int i = 0; i < kSampledMoments; ++i) {
    const int64_t step = (config.total_steps - 1) * i / (kSampledMoments - 1);
    const auto plan = mix::make_plan(
        *config.schedule->at(config.moment(step)),
        model_bytes,
        config.spec.workers_per_node);
    sum += plan->max_copies();
  }
  return sum / kSampledMoments;
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

struct Estimator::Costs {
  // Core-seconds with all cores at work, as the scheduler counts them: what
  // other programs take meanwhile is left out.
  double make_worker = 0;
  double step = 0;   // of a worker: batch, gradient, update
  double sample = 0; // of a worker: one test sample evaluated
  // Bytes that a computing thread holds at most beside the replicas.
  int64_t thread_bytes = 0;
};

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

// Times steps and evaluations on every core at once.
Estimator::Costs Estimator::measure(
    const RunConfig& config,
    int64_t replica_bytes,
    double seconds) const {
  const int cores = options_.cores;
  const int64_t most = kMostPlaneBytes / (replica_bytes * cores);
  const auto replicas =
      static_cast<int>(std::clamp<int64_t>(most, 2, kMostReplicas));
  const int64_t before = resident_bytes();
  forget_peak();
  Costs costs;
  std::vector<std::unique_ptr<Trial>> trials;
  const CpuWatch making;
  for (int i = 0; i < cores; ++i)
    trials.push_back(std::make_unique<Trial>(config, replicas));
  costs.make_worker = making.seconds() / (replicas * cores);
  std::vector<double> step(cores);
  std::vector<double> sample(cores);
  ThreadPool pool(cores, use_one_torch_thread);
  pool.for_each(cores, [&](int64_t i, int) {
    step[i] = trials[i]->time_steps(seconds * 0.7);
    sample[i] = trials[i]->time_evaluation(seconds * 0.3);
  });
  costs.step = mean_of(step);
  costs.sample = mean_of(sample);
  const int64_t planes = replica_bytes * replicas * cores;
  costs.thread_bytes =
      std::max<int64_t>(0, peak_bytes() - before - planes) / cores;
  return costs;
}

const Estimator::Costs& Estimator::costs(
    const RunConfig& config,
    int64_t layout_size) {
  const spec::Spec& spec = config.spec;
  auto& costs = costs_[fmt::format(
      "{}{} {}",
      values_of_group(spec, "Task"),
      spec.batch,
      spec.optimizer)];
  if (costs) return *costs;
  const bool plenty = spent_seconds_ < options_.budget_seconds;
  const Stopwatch watch;
  costs = std::make_unique<Costs>(measure(
      config,
      std::max<int64_t>(1, plane_bytes(config, layout_size)),
      plenty ? kLongMeasurement : kShortMeasurement));
  spent_seconds_ += watch.seconds();
  return *costs;
}

Estimate Estimator::estimate(const spec::Spec& spec) {
  const Task& what = task(spec);
  const data::Dataset& dataset = what.dataset;
  const RunConfig config = make_run_config_with(spec, dataset);
  const Costs& cost = costs(config, what.layout_size);
  const double plane = sizeof(float) * static_cast<double>(what.layout_size);
  const auto n = static_cast<double>(spec.n);
  const int state_planes = config.worker_options().state_planes;

  const double copies = mean_copies(config, sizeof(float) * what.parameters);
  const double mixing = copies * plane / kCacheBandwidth;
  const int64_t subset = evaluated_samples(spec, dataset.test->size());
  const double evaluation = (n * static_cast<double>(subset) +
                             static_cast<double>(dataset.test->size())) *
                                cost.sample +
                            n * plane / kMemoryBandwidth;

  Estimate estimate;
  estimate.parameters = what.parameters;
  estimate.steps = config.total_steps;
  estimate.final_core_seconds = evaluation;
  estimate.core_seconds =
      what.load_seconds + n * cost.make_worker +
      static_cast<double>(config.total_steps) * n * (cost.step + mixing) +
      static_cast<double>(evaluations_of(config) + 1) * evaluation;

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
