// Decentralized Adam and AccumAdam, written down plainly in double, against
// the fused passes over buckets: mixing, decay, moments, windows.
#include "algo/adam.h"
#include "algo/agreement.h"
#include "base/random.h"
#include "base/thread_pool.h"
#include "graph/schedule.h"
#include "mix/cluster.h"
#include "mix/stepper.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace grapevine::mix {
namespace {

constexpr int kWorkers = 4;
constexpr int64_t kSteps = 11; // ends inside a window of 2, 3 and 4
constexpr double kLr = 0.02;

struct Case {
  std::string graph;
  int64_t window = 1;
  algo::DecayForm form = algo::DecayForm::kL2;
};

algo::RuleOptions options_of(const Case& c) {
  return {.beta1 = 0.8, .beta2 = 0.9, .eps = 1e-6, .weight_decay = 0.1};
}

// What a gradient is made of beside the parameters themselves.
double noise(int rank, int64_t step, int64_t element) {
  Random random(7, Purpose::kTest, rank, step * 1000 + element);
  return random.normal();
}

double start(int rank, int64_t element) {
  return noise(rank, 99, element);
}

tensor::Arena make_arena(int state_planes) {
  return {
      std::make_shared<tensor::Layout>(std::vector<tensor::TensorEntry>{
          {.name = "w", .shape = {9, 7}},
          {.name = "b", .shape = {13}}}),
      std::make_shared<tensor::Layout>(),
      state_planes};
}

// One parameter of all workers. Every worker takes its gradient at its own x,
// while the x of all are mixed.
class Reference {
 public:
  Reference(const Case& c, const graph::Schedule& schedule, bool decays)
      : options_(options_of(c)),
        form_(c.form),
        window_(c.window),
        schedule_(schedule),
        decay_(decays ? options_.weight_decay : 0),
        workers_(kWorkers) {}

  double& x(int rank) { return workers_[rank].x; }

  void step(int64_t t0, const std::vector<double>& gradients) {
    std::vector<double> next(kWorkers);
    for (int i = 0; i < kWorkers; ++i) {
      double mixed = 0;
      for (const auto& term : schedule_.at({t0, t0})->row(i))
        mixed += term.weight * workers_[term.rank].x;
      next[i] = adapted(workers_[i], mixed, gradients[i], t0 + 1);
    }
    for (int i = 0; i < kWorkers; ++i)
      workers_[i].x = next[i];
  }

 private:
  struct Worker {
    double x = 0;
    double m = 0;
    double v = 0;
    double b = 0;
  };

  // t counts from 1.
  double adapted(Worker& worker, double mixed, double g, int64_t t) const {
    const auto s = static_cast<double>(window_);
    const double k = std::ceil(static_cast<double>(t) / s);
    const double b1 = options_.beta1;
    const double b2 = options_.beta2;
    if (form_ == algo::DecayForm::kL2) {
      g += decay_ * worker.x;
    } else {
      mixed *= 1 - kLr * decay_;
    }
    const double m = b1 * worker.m + (1 - b1) * g;
    const double v = b2 * worker.v + (1 - b2) * g * g;
    const double root = std::sqrt(v) / std::sqrt(1 - std::pow(b2, k));
    worker.b += g / s;
    if (t % window_ == 0) {
      worker.m = b1 * worker.m + (1 - b1) * worker.b;
      worker.v = b2 * worker.v + (1 - b2) * worker.b * worker.b;
      worker.b = 0;
    }
    return mixed - kLr / (1 - std::pow(b1, k)) * m / (root + options_.eps);
  }

  algo::RuleOptions options_;
  algo::DecayForm form_;
  int64_t window_;
  const graph::Schedule& schedule_;
  double decay_;
  std::vector<Worker> workers_;
};

// Final parameters of all workers, of [tensor's offset + i].
std::vector<std::vector<float>> train(
    const Case& c,
    const graph::Schedule& schedule) {
  const auto rule =
      std::make_shared<algo::Adam>(options_of(c), c.form, c.window);
  const auto& agreement = algo::find_agreement("combine-while-adapt");
  std::vector<tensor::Arena> arenas;
  std::vector<tensor::Arena*> pointers;
  for (int rank = 0; rank < kWorkers; ++rank) {
    arenas.push_back(make_arena(static_cast<int>(rule->state_planes().size())));
    for (const auto& tensor : arenas[rank].layout().tensors()) {
      for (int64_t e = tensor.offset; e < tensor.range().end; ++e)
        arenas[rank].parameters()[e] = static_cast<float>(start(rank, e));
    }
  }
  for (tensor::Arena& arena : arenas)
    pointers.push_back(&arena);
  ThreadPool pool(1);
  const auto cluster = make_virtual_cluster(kWorkers, pool);
  cluster->attach(pointers);
  Stepper stepper(*cluster, pointers, agreement, *rule, schedule, {});
  for (int64_t step = 0; step < kSteps; ++step) {
    StepRequest request{
        .moment = {step, step},
        .lr = kLr,
        .compute_gradient = [&](int rank, GradientListener*) {
          tensor::Arena& arena = arenas[rank];
          for (const auto& tensor : arena.layout().tensors()) {
            for (int64_t e = tensor.offset; e < tensor.range().end; ++e) {
              arena.gradients()[e] = static_cast<float>(
                  0.3 * arena.parameters()[e] + noise(rank, step, e));
            }
          }
        }};
    if (step + 1 < kSteps) request.next = graph::StepTime{step + 1, step + 1};
    stepper.step(request);
  }
  std::vector<std::vector<float>> parameters;
  for (tensor::Arena& arena : arenas) {
    const auto plane = arena.parameters();
    parameters.emplace_back(plane.begin(), plane.end());
  }
  return parameters;
}

class DecentralizedAdam : public ::testing::TestWithParam<Case> {};

TEST_P(DecentralizedAdam, IsItsFormula) {
  const Case c = GetParam();
  const auto schedule = graph::make_schedule({.name = c.graph, .n = kWorkers});
  const auto found = train(c, *schedule);
  const tensor::Arena like = make_arena(0);
  for (const auto& tensor : like.layout().tensors()) {
    for (int64_t e = tensor.offset; e < tensor.range().end; ++e) {
      Reference reference(c, *schedule, tensor.is_matrix);
      for (int rank = 0; rank < kWorkers; ++rank)
        reference.x(rank) = static_cast<float>(start(rank, e));
      for (int64_t step = 0; step < kSteps; ++step) {
        std::vector<double> gradients;
        for (int rank = 0; rank < kWorkers; ++rank) {
          gradients.push_back(0.3 * reference.x(rank) + noise(rank, step, e));
        }
        reference.step(step, gradients);
      }
      for (int rank = 0; rank < kWorkers; ++rank) {
        ASSERT_NEAR(found[rank][e], reference.x(rank), 1e-5)
            << "worker " << rank << ", element " << e;
      }
    }
  }
}

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const char* graph : {"aer", "one-peer-exponential", "complete"}) {
    for (const int64_t window : {1, 2, 3, 4}) {
      list.push_back({graph, window, algo::DecayForm::kL2});
      list.push_back({graph, window, algo::DecayForm::kDecoupled});
    }
  }
  return list;
}

INSTANTIATE_TEST_SUITE_P(All, DecentralizedAdam, ::testing::ValuesIn(cases()));

} // namespace
} // namespace grapevine::mix
