// The virtual cluster: a training step of 96 ResNet20 replicas against a plain
// loop over the same samples, and mixing steps against n and k.
#include "algo/agreement.h"
#include "algo/sgd.h"
#include "base/aligned.h"
#include "base/random.h"
#include "base/thread_pool.h"
#include "graph/mixing.h"
#include "graph/schedule.h"
#include "mix/cluster.h"
#include "mix/plan.h"
#include "mix/stepper.h"
#include "mix/virtual_mixer.h"
#include "model/zoo.h"
#include "perf/bench.h"
#include "run/worker.h"

#include <torch/torch.h>

#include <thread>

namespace grapevine::perf {
namespace {

constexpr int kWorkers = 96;
constexpr int64_t kBatch = 32;
constexpr int64_t kSamplesElements = 3 * 32 * 32;

int cores() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

std::vector<data::Batch> batches() {
  std::vector<data::Batch> list(kWorkers);
  for (int i = 0; i < kWorkers; ++i) {
    Random random(1, Purpose::kTest, i);
    list[i].sample_shape = {kSamplesElements};
    list[i].inputs.resize(kBatch * kSamplesElements);
    for (float& value : list[i].inputs) {
      value = static_cast<float>(random.normal());
    }
    list[i].labels.resize(kBatch);
    for (int64_t& label : list[i].labels) {
      label = static_cast<int64_t>(random.below(10));
    }
  }
  return list;
}

class VirtualStep {
 public:
  VirtualStep(ThreadPool& pool, std::vector<data::Batch>& batches)
      : batches_(batches),
        spans_(kWorkers) {
    graph::GraphOptions ring;
    ring.name = "ring";
    ring.n = kWorkers;
    schedule_ = graph::make_schedule(ring);
    for (int i = 0; i < kWorkers; ++i) {
      workers_.emplace_back(run::WorkerOptions{
          .model = "resnet20",
          .sample_shape = {3, 32, 32},
          .classes = 10,
          .seed = 1,
          .state_planes = 1});
    }
    std::vector<tensor::Arena*> arenas;
    for (run::Worker& worker : workers_)
      arenas.push_back(&worker.arena());
    cluster_ = mix::make_virtual_cluster(kWorkers, pool);
    cluster_->attach(arenas);
    stepper_ = std::make_unique<mix::Stepper>(
        *cluster_,
        arenas,
        algo::find_agreement("adapt-then-combine"),
        rule_,
        *schedule_,
        mix::StepperOptions{});
  }

  void run() {
    stepper_->step(
        {.moment = {step_, 0},
         .lr = 0.01,
         .compute_gradient = [&](int index, mix::GradientListener*) {
           workers_[index].compute_gradient(batches_[index], {}, spans_[index]);
         }});
    ++step_;
  }

 private:
  std::vector<data::Batch>& batches_;
  std::vector<record::Spans> spans_;
  std::unique_ptr<graph::Schedule> schedule_;
  algo::Sgd rule_{{.momentum = 0.9}};
  std::vector<run::Worker> workers_;
  std::unique_ptr<mix::Cluster> cluster_;
  std::unique_ptr<mix::Stepper> stepper_;
  int64_t step_ = 0;
};

// What somebody would write without us: each thread has a model and a torch
// optimizer and works through its share of the batches.
class PlainLoop {
 public:
  PlainLoop(ThreadPool& pool, std::vector<data::Batch>& batches)
      : pool_(pool),
        batches_(batches) {
    for (int thread = 0; thread < pool.threads(); ++thread) {
      models_.push_back(model::make_model(
          {.name = "resnet20",
           .sample_shape = {3, 32, 32},
           .classes = 10,
           .seed = 1}));
      optimizers_.push_back(std::make_unique<torch::optim::SGD>(
          models_.back()->parameters(),
          torch::optim::SGDOptions(0.01).momentum(0.9)));
    }
  }

  void run() {
    pool_.for_each(kWorkers, [&](int64_t i, int thread) {
      data::Batch& batch = batches_[i];
      optimizers_[thread]->zero_grad();
      const torch::Tensor loss = torch::nn::functional::cross_entropy(
          models_[thread]->forward(
              torch::from_blob(batch.inputs.data(), {kBatch, 3, 32, 32})),
          torch::from_blob(batch.labels.data(), {kBatch}, torch::kInt64));
      loss.backward();
      optimizers_[thread]->step();
    });
  }

 private:
  ThreadPool& pool_;
  std::vector<data::Batch>& batches_;
  std::vector<std::shared_ptr<model::Model>> models_;
  std::vector<std::unique_ptr<torch::optim::SGD>> optimizers_;
};

Row training_step(ThreadPool& pool) {
  std::vector<data::Batch> data = batches();
  VirtualStep ours(pool, data);
  PlainLoop rival(pool, data);
  return time_row(
      "ResNet20 step, 96 virtual workers, ring, vs plain loop",
      take_turns(
          7,
          [&] { ours.run(); },
          [&] { rival.run(); }),
      "<=1.05");
}

// Mixing alone, on planes of ResNet20's size.
class Mixing {
 public:
  Mixing(ThreadPool& pool, int n) : n_(n), mixer_(pool) {
    for (int i = 0; i < n; ++i) {
      planes_.emplace_back(kFloats);
      for (float& value : planes_.back().span()) {
        value = static_cast<float>(i);
      }
      pointers_.push_back(planes_.back().data());
    }
  }

  std::function<void()> with(int k) {
    auto plan = mix::make_plan(
        graph::Mixing::lattice(n_, k),
        kFloats * static_cast<int64_t>(sizeof(float)));
    return [this, plan] { mixer_.mix(*plan, pointers_, kFloats); };
  }

 private:
  static constexpr int64_t kFloats = 269'728;
  int n_;
  mix::VirtualMixer mixer_;
  std::vector<AlignedFloats> planes_;
  std::vector<float*> pointers_;
};

std::vector<Row> mixing_steps(ThreadPool& pool) {
  constexpr int kTurns = 9;
  Mixing small(pool, 96);
  Mixing large(pool, 1008);
  std::vector<Row> rows;
  rows.push_back(time_row(
      "mixing, n = 96, k = 48 vs k = 4",
      take_turns(kTurns, small.with(48), small.with(4)),
      "<=1.5"));
  rows.push_back(time_row(
      "mixing, n = 1008, k = 112 vs k = 4",
      take_turns(kTurns, large.with(112), large.with(4)),
      "<=1.5"));
  // Linear in n: 21 small steps move as many bytes as 2 large ones.
  const auto times = [](int count, std::function<void()> work) {
    return [count, work] {
      for (int i = 0; i < count; ++i)
        work();
    };
  };
  rows.push_back(time_row(
      "mixing, k = 4, n = 1008 twice vs n = 96 21 times",
      take_turns(kTurns, times(2, large.with(4)), times(21, small.with(4))),
      "<=1.25"));
  rows.push_back(time_row(
      "mixing, dense, n = 1008 twice vs n = 96 21 times",
      take_turns(kTurns, times(2, large.with(112)), times(21, small.with(48))),
      "<=1.25"));
  return rows;
}

} // namespace
} // namespace grapevine::perf

int main(int argc, char** argv) {
  using namespace grapevine::perf;
  grapevine::ThreadPool pool(cores(), grapevine::run::use_one_torch_thread);
  std::vector<Row> rows = mixing_steps(pool);
  rows.push_back(training_step(pool));
  write_rows(argc > 1 ? argv[1] : "cluster.json", rows);
}
