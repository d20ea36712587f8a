// One process of a training job whose iterations are timed: an MLP, real or
// as timed sleeps, under any agreement, graph and transport. perf/overlap
// starts such jobs, on test hosts and on loopback, and their rivals.
//
// Under mpirun over MPI, in torchrun's environment over Gloo. Rank 0 prints
// one line of JSON: ms an iteration over blocks of consecutive steps, without
// anything between the blocks, so that what a block leaves under way the next
// one pays for.
#include "algo/adam.h"
#include "algo/agreement.h"
#include "algo/sgd.h"
#include "base/check.h"
#include "base/error.h"
#include "graph/schedule.h"
#include "mix/cluster.h"
#include "mix/stepper.h"
#include "net/transports.h"
#include "perf/bench.h"
#include "perf/timed_job.h"

#include <sys/resource.h>

#include <cmath>
#include <map>

namespace grapevine::perf {
namespace {

// Every so-manieth element is verified.
constexpr size_t kSampled = 997;

struct Options {
  ComputeOptions compute;
  // Of algo/agreement.h; "alone": each worker trains by itself.
  std::string agreement = "combine-while-adapt";
  std::string graph = "one-peer-exponential";
  std::string optimizer = "adam";
  int64_t bucket_bytes = mix::StepperOptions{}.bucket_bytes;
  int64_t chunk_bytes = mix::CommunicatorOptions{}.chunk_bytes;
  bool packs = false;
  int warm_up = 8; // steps
  int blocks = 6;
  int block_steps = 4;

  int steps() const { return warm_up + blocks * block_steps; }
};

Options parse(int argc, char** argv) {
  Options options;
  CLI::App app("One process of a job whose iterations are timed.");
  add_compute_flags(app, options.compute);
  app.add_option("--agreement", options.agreement);
  app.add_option("--graph", options.graph);
  app.add_option("--optimizer", options.optimizer)
      ->check(CLI::IsMember({"adam", "sgd"}));
  app.add_option("--bucket-bytes", options.bucket_bytes);
  app.add_option("--chunk-bytes", options.chunk_bytes);
  app.add_flag("--packing", options.packs);
  app.add_option("--warm-up", options.warm_up);
  app.add_option("--blocks", options.blocks);
  app.add_option("--block-steps", options.block_steps);
  parse_or_exit(app, argc, argv);
  return options;
}

std::shared_ptr<const algo::LocalRule> make_rule(const std::string& name) {
  if (name == "sgd") return std::make_shared<algo::Sgd>(algo::RuleOptions{});
  return std::make_shared<algo::Adam>(algo::RuleOptions{});
}

std::unique_ptr<net::Transport> make_transport(bool packs) {
  const auto environment = net::read_launch_environment();
  if (environment.transport == "virtual") {
    return std::move(net::make_local_transports(1).front());
  }
  return net::make_transport(
      environment.transport,
      environment,
      {.deadline = std::chrono::seconds(60), .packs = packs});
}

// Of all threads of this process.
double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) +
           static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

class Job {
 public:
  explicit Job(const Options& options)
      : options_(options),
        // Where each trains alone, the others are met for the result only.
        everybody_(mix::make_process_cluster(
            make_transport(options.packs),
            {.deadline = std::chrono::seconds(60),
             .chunk_bytes = options.chunk_bytes})) {
    alone_ = options_.agreement == "alone";
    if (alone_) {
      myself_ = mix::make_process_cluster(
          std::move(net::make_local_transports(1).front()),
          {});
    }
    rule_ = make_rule(options.optimizer);
    agreement_ = &algo::find_synchronous_agreement(
        alone_ ? "combine-while-adapt" : options.agreement);
    graph::GraphOptions graph;
    graph.name = alone_ ? "complete" : options.graph;
    graph.n = cluster().size();
    schedule_ = graph::make_schedule(graph);
    make_gradient(static_cast<int>(rule_->state_planes().size()));
  }

  nlohmann::json run() {
    everybody_->barrier();
    while (step_ < options_.warm_up)
      take_step();
    std::vector<double> block_ms;
    const Totals before = totals();
    for (int block = 0; block < options_.blocks; ++block) {
      const double seconds = seconds_of([&] {
        for (int i = 0; i < options_.block_steps; ++i)
          take_step();
      });
      block_ms.push_back(seconds * 1e3 / options_.block_steps);
    }
    const Totals after = totals();
    nlohmann::json result = summary(block_ms);
    const double steps = options_.blocks * options_.block_steps;
    for (const auto& [name, total] : after) {
      result[name] = (total - before.at(name)) / steps;
    }
    result["model_bytes"] = gradient_->arena().layout().elements() *
                            static_cast<int64_t>(sizeof(float));
    verify();
    everybody_->barrier();
    return result;
  }

  bool prints() const { return everybody_->is_root(); }

 private:
  mix::Cluster& cluster() { return alone_ ? *myself_ : *everybody_; }

  // Of this worker since the beginning; waits are the training thread's,
  // exchanges the communication thread's, CPU time that of all threads.
  using Totals = std::map<std::string, double>;
  Totals totals() {
    return {
        {"forward_ms", forward_seconds_ * 1e3},
        {"backward_ms", backward_seconds_ * 1e3},
        {"update_ms", update_seconds_ * 1e3},
        {"wait_ms", cluster().wait_seconds() * 1e3},
        {"exchange_ms", cluster().exchange_seconds() * 1e3},
        {"cpu_ms", cpu_seconds() * 1e3},
        {"sent_bytes", static_cast<double>(cluster().traffic().bytes)}};
  }

  void make_gradient(int state_planes) {
    ComputeOptions compute = options_.compute;
    compute.rank = everybody_->hosted().front();
    compute.state_planes = state_planes;
    gradient_ = perf::make_gradient(compute);
    // Replicas differ, so that verify sees whether they have been mixed.
    const auto plane = gradient_->arena().parameters();
    initial_.assign(plane.begin(), plane.end());
    for (float& value : plane)
      value *= 1 + 0.1F * static_cast<float>(compute.rank);
    cluster().attach({&gradient_->arena()});
    if (alone_) everybody_->attach({&gradient_->arena()});
    stepper_ = std::make_unique<mix::Stepper>(
        cluster(),
        std::vector<tensor::Arena*>{&gradient_->arena()},
        *agreement_,
        *rule_,
        *schedule_,
        mix::StepperOptions{.bucket_bytes = options_.bucket_bytes});
  }

  // With a learning rate of 0, which costs the same time as any other, only
  // mixing moves parameters.
  void take_step() {
    const auto moment = [](int64_t step) { return graph::StepTime{step, 0}; };
    mix::StepRequest request{
        .moment = moment(step_),
        .lr = 0,
        .compute_gradient = [&](int, mix::GradientListener* listener) {
          gradient_->compute(step_, listener);
        }};
    if (step_ + 1 < options_.steps()) request.next = moment(step_ + 1);
    stepper_->step(request);
    ++step_;
    forward_seconds_ += gradient_->forward_seconds();
    backward_seconds_ += gradient_->backward_seconds();
    update_seconds_ += stepper_->update_seconds(0);
  }

  nlohmann::json summary(const std::vector<double>& mine) {
    // A block's time is the mean over the workers.
    const mix::Rows rows = everybody_->all_gather({mine});
    std::vector<double> ms(mine.size());
    for (size_t i = 0; i < ms.size(); ++i) {
      for (const auto& row : rows)
        ms[i] += row[i] / static_cast<double>(rows.size());
    }
    std::ranges::sort(ms);
    const double mean = std::accumulate(ms.begin(), ms.end(), 0.0) /
                        static_cast<double>(ms.size());
    return {
        {"median_ms", median(ms)},
        {"mean_ms", mean},
        {"q1_ms", ms[ms.size() / 4]},
        {"q3_ms", ms[ms.size() - 1 - ms.size() / 4]},
        {"blocks_ms", ms}};
  }

  // Wrong result, no number: an exchange of parameters keeps their mean and
  // brings replicas together, one of gradients makes them equal.
  void verify() {
    if (alone_) return;
    const algo::Plane exchanged = agreement_->exchanged();
    const bool parameters = exchanged == algo::Plane::kParameters;
    const auto plane = algo::plane_of(gradient_->arena(), exchanged);
    std::vector<double> mine;
    for (size_t i = 0; i < plane.size(); i += kSampled)
      mine.push_back(plane[i]);
    const mix::Rows rows = everybody_->all_gather({mine});
    const auto n = static_cast<double>(rows.size());
    for (size_t k = 0; k < mine.size(); ++k) {
      double mean = 0;
      double widest = 0;
      for (const auto& row : rows)
        mean += row[k] / n;
      for (const auto& row : rows)
        widest = std::max(widest, std::abs(row[k] - mean));
      const double scale = std::abs(mean) + 1e-6;
      const double expected =
          parameters ? initial_[k * kSampled] * (1 + 0.1 * (n - 1) / 2) : mean;
      GV_CHECK_LE(std::abs(mean - expected), 1e-3 * scale);
      GV_CHECK_LE(widest, 1e-2 * scale);
    }
  }

  Options options_;
  bool alone_ = false;
  std::unique_ptr<MlpGradient> gradient_;
  std::vector<float> initial_;
  std::unique_ptr<graph::Schedule> schedule_;
  std::shared_ptr<const algo::LocalRule> rule_;
  const algo::Agreement* agreement_ = nullptr;
  std::unique_ptr<mix::Cluster> everybody_;
  std::unique_ptr<mix::Cluster> myself_;
  std::unique_ptr<mix::Stepper> stepper_;
  int64_t step_ = 0;
  double forward_seconds_ = 0;
  double backward_seconds_ = 0;
  double update_seconds_ = 0;
};

} // namespace
} // namespace grapevine::perf

int main(int argc, char** argv) {
  namespace perf = grapevine::perf;
  return perf::run_job<perf::Job>("overlap_bench", perf::parse(argc, argv));
}
