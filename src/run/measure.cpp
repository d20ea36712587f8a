#include "run/measure.h"

#include "base/thread_pool.h"
#include "mix/stepper.h"
#include "run/stopwatch.h"
#include "run/torch_threads.h"

#include <algorithm>
#include <ctime>
#include <fstream>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace grapevine::run {
namespace {

// Planes of all replicas together: more than caches hold, so that a step finds
// as little of the last one there as it will in a large run.
constexpr int64_t kMostPlaneBytes = int64_t{256} << 20;
constexpr int64_t kEvaluated = 500; // samples, one batch of an evaluation

int64_t status_bytes(const std::string& key) {
  std::ifstream file("/proc/self/status");
  for (std::string word; file >> word;) {
    int64_t kibibytes = 0;
    if (word == key && file >> kibibytes) return kibibytes << 10;
  }
  return 0;
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

// A few replicas on a ring that train as those of a run on one thread will.
// Made on one thread, used on another.
class Trial {
 public:
  explicit Trial(const RunConfig& config) : config_(config) {}

  // Seconds.
  double make_worker() {
    const CpuWatch watch;
    workers_.emplace_back(config_.worker_options());
    return watch.seconds();
  }

  // Of a replica.
  int64_t plane_bytes() const {
    const tensor::Arena& arena = workers_.front().arena();
    return arena.layout().size() * (2 + arena.state_planes()) *
           static_cast<int64_t>(sizeof(float));
  }

  double gradient() {
    const CpuWatch watch;
    compute_gradient(0);
    return watch.seconds();
  }

  // Of a worker, by some seconds of them.
  double time_steps(double seconds) {
    make_cluster();
    step(); // touches the memory for the first time
    const Stopwatch limit;
    const CpuWatch watch;
    int steps = 0;
    do {
      step();
      ++steps;
    } while (limit.seconds() < seconds);
    return watch.seconds() / steps / static_cast<double>(workers_.size());
  }

  // Of a sample.
  double time_evaluation(double seconds) {
    std::vector<int64_t> indices(
        std::min(kEvaluated, config_.dataset.test->size()));
    std::iota(indices.begin(), indices.end(), 0);
    const EvaluationSet set(
        *config_.dataset.test,
        indices,
        {.in_streams = config_.in_streams});
    Worker& worker = workers_.front();
    worker.set_training(false);
    worker.score(set);
    const Stopwatch limit;
    const CpuWatch watch;
    int64_t samples = 0;
    do {
      worker.score(set);
      samples += set.samples();
    } while (limit.seconds() < seconds);
    return watch.seconds() / static_cast<double>(samples);
  }

 private:
  void make_cluster() {
    const int n = static_cast<int>(workers_.size());
    pool_ = std::make_unique<ThreadPool>(1, use_one_torch_thread);
    cluster_ = mix::make_virtual_cluster(n, *pool_);
    schedule_ =
        graph::make_schedule({.name = n > 2 ? "ring" : "complete", .n = n});
    std::vector<tensor::Arena*> arenas;
    for (Worker& worker : workers_)
      arenas.push_back(&worker.arena());
    cluster_->attach(arenas);
    stepper_ = std::make_unique<mix::Stepper>(
        *cluster_,
        arenas,
        // What a worker does by itself is the same in any of them.
        algo::find_agreement(algo::kDefaultAgreement),
        *config_.rule,
        *schedule_,
        mix::StepperOptions{
            .clip = config_.spec.clip,
            .workers_per_node = config_.spec.workers_per_node});
  }

  void step() {
    mix::StepRequest request;
    request.lr = kRate;
    request.compute_gradient = [&](int index, mix::GradientListener*) {
      compute_gradient(index);
    };
    stepper_->step(request);
  }

  void compute_gradient(int index) {
    config_.gather(0, 0, batch_);
    record::Spans spans;
    workers_[index].compute_gradient(
        batch_,
        config_.gradient_options(0, 0),
        spans);
  }

  static constexpr double kRate = 1e-6; // nothing diverges by measuring

  const RunConfig& config_;
  data::Batch batch_;
  std::vector<Worker> workers_;
  std::unique_ptr<ThreadPool> pool_;
  std::unique_ptr<mix::Cluster> cluster_;
  std::unique_ptr<graph::Schedule> schedule_;
  std::unique_ptr<mix::Stepper> stepper_;
};

// Of one trial: as many as the run has, unless that takes too long or too
// much memory; two at least.
int replica_count(
    int n,
    double gradient,
    double seconds,
    int cores,
    int64_t bytes) {
  const double by_time = seconds / 3 / std::max(gradient, 1e-6);
  const double by_memory = static_cast<double>(kMostPlaneBytes) /
                           (static_cast<double>(bytes) * cores);
  const double most = std::min(by_time, by_memory);
  return static_cast<int>(
      std::clamp(most, 2.0, std::max(2.0, static_cast<double>(n))));
}

} // namespace

int64_t resident_bytes() {
  return status_bytes("VmRSS:");
}

StepCosts measure_costs(const RunConfig& config, int cores, double seconds) {
  const int64_t before = resident_bytes();
  forget_peak();
  StepCosts costs;
  std::vector<std::unique_ptr<Trial>> trials;
  for (int i = 0; i < cores; ++i)
    trials.push_back(std::make_unique<Trial>(config));
  Trial& first = *trials.front();
  first.make_worker();
  first.gradient(); // pays for torch's own preparations
  const double gradient = first.gradient();
  const int replicas = replica_count(
      config.spec.n,
      gradient,
      seconds,
      cores,
      std::max<int64_t>(1, first.plane_bytes()));
  costs.make_worker = first.make_worker();
  for (int made = 2; made < replicas; ++made)
    first.make_worker();
  for (int i = 1; i < cores; ++i) {
    for (int made = 0; made < replicas; ++made)
      trials[i]->make_worker();
  }

  std::vector<double> step(cores);
  std::vector<double> sample(cores);
  ThreadPool pool(cores);
  pool.for_each(cores, [&](int64_t i, int) {
    step[i] = trials[i]->time_steps(seconds / 2);
    sample[i] = trials[i]->time_evaluation(seconds / 4);
  });
  costs.step = std::accumulate(step.begin(), step.end(), 0.0) / cores;
  costs.sample = std::accumulate(sample.begin(), sample.end(), 0.0) / cores;
  const int64_t planes = first.plane_bytes() * replicas * cores;
  costs.thread_bytes =
      std::max<int64_t>(0, peak_bytes() - before - planes) / cores;
  return costs;
}

} // namespace grapevine::run
