// Small workers that are trained by a Stepper, in a virtual cluster or over
// threads.
#pragma once

#include "algo/agreement.h"
#include "algo/sgd.h"
#include "base/random.h"
#include "base/thread_pool.h"
#include "graph/push_schedule.h"
#include "graph/schedule.h"
#include "mix/cluster.h"
#include "mix/plan_support.h"
#include "mix/stepper.h"
#include "net/transports.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace grapevine::mix {

inline constexpr int64_t kSteps = 4;

inline tensor::Arena
make_arena(int rank, bool equal_start, int state_planes = 1) {
  tensor::Arena arena(
      std::make_shared<tensor::Layout>(std::vector<tensor::TensorEntry>{
          {.name = "w", .shape = {90, 77}},
          {.name = "b", .shape = {13}},
          {.name = "v", .shape = {50, 51}}}),
      std::make_shared<tensor::Layout>(
          std::vector<tensor::TensorEntry>{{.name = "mean", .shape = {5}}}),
      state_planes);
  Random random(5, Purpose::kTest, equal_start ? 0 : rank);
  for (const auto& tensor : arena.layout().tensors()) {
    for (int64_t i = tensor.offset; i < tensor.range().end; ++i) {
      arena.parameters()[i] = static_cast<float>(random.normal());
    }
  }
  for (float& value : arena.buffers()) {
    value = static_cast<float>(random.normal());
  }
  return arena;
}

// A gradient that depends on the rank, the step and the parameters.
inline void fill_gradient(tensor::Arena& arena, int rank, int64_t step) {
  Random random(6, Purpose::kTest, rank, step);
  for (const auto& tensor : arena.layout().tensors()) {
    for (int64_t i = tensor.offset; i < tensor.range().end; ++i) {
      arena.gradients()[i] =
          arena.parameters()[i] * 0.1F + static_cast<float>(random.normal());
    }
  }
}

// Gradients become final in another order on every worker and step, and one
// tensor's never does in odd steps.
inline void announce(GradientListener* listener, int rank, int64_t step) {
  if (listener == nullptr) return;
  for (int i = 0; i < 3; ++i) {
    if (step % 2 == 1 && i == 1) continue;
    listener->tensor_ready(static_cast<int>((i + rank + step) % 3));
  }
}

struct Case {
  std::string agreement = "adapt-then-combine";
  std::string graph = "ring";
  int n = 4;
  double clip = 0;
  bool equal_start = true;
  int64_t replaced_at = -1; // parameters change after this step
  int64_t bucket_bytes = 1 << 20;
};

struct Outcome {
  std::string sha256;
  int64_t messages = 0;
  int64_t bytes = 0;
  Stepper::Squares squares;      // of worker 0, last step
  std::vector<float> parameters; // of worker 0
};

// A directed graph in which some send to many and some are heard by many: a
// ring, worker 0 to everybody, every third to worker 0.
inline std::vector<std::vector<int>> lopsided_receivers(int n) {
  std::vector<std::vector<int>> receivers(n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const bool sends = j == (i + 1) % n || i == 0 || (i % 3 == 2 && j == 0);
      if (sends && j != i) receivers[i].push_back(j);
    }
  }
  return receivers;
}

inline std::unique_ptr<graph::Schedule> make_schedule(const Case& c) {
  if (c.graph == "lopsided") {
    return std::make_unique<graph::PushSchedule>(lopsided_receivers(c.n));
  }
  return graph::make_schedule({.name = c.graph, .n = c.n, .epochs = kSteps});
}

// The workers that a cluster hosts, their arenas and their stepper.
class Team {
 public:
  Team(
      Cluster& cluster,
      const std::string& agreement,
      const algo::LocalRule& rule,
      const graph::Schedule& schedule,
      const std::function<tensor::Arena(int rank, int state_planes)>& make,
      StepperOptions options = {})
      : cluster_(cluster) {
    const algo::Agreement& it = algo::find_agreement(agreement);
    const auto planes = static_cast<int>(algo::state_planes(it, rule).size());
    for (const int rank : cluster.hosted())
      arenas_.push_back(make(rank, planes));
    for (tensor::Arena& arena : arenas_)
      pointers_.push_back(&arena);
    cluster_.attach(pointers_);
    stepper.emplace(cluster_, pointers_, it, rule, schedule, options);
  }
  ~Team() { cluster_.detach(); }

  std::vector<tensor::Arena>& arenas() { return arenas_; }

  // Step `step` of `steps`, with gradient(arena, rank, listener).
  template <typename Gradient>
  void step(
      int64_t step,
      int64_t steps,
      double lr,
      const Gradient& gradient,
      Measure measure = Measure::kNothing) {
    StepRequest request{
        .moment = {step, step},
        .lr = lr,
        .measure = measure,
        .compute_gradient = [&](int index, GradientListener* listener) {
          gradient(arenas_[index], cluster_.hosted()[index], listener);
        }};
    if (step + 1 < steps) request.next = graph::StepTime{step + 1, step + 1};
    stepper->step(request);
  }

 private:
  Cluster& cluster_;
  std::vector<tensor::Arena> arenas_;
  std::vector<tensor::Arena*> pointers_;

 public:
  std::optional<Stepper> stepper;
};

// Trains the workers that the cluster hosts.
inline Outcome train(const Case& c, Cluster& cluster) {
  const algo::Sgd rule({.momentum = 0.9, .weight_decay = 1e-3});
  const auto schedule = make_schedule(c);
  Team team(
      cluster,
      c.agreement,
      rule,
      *schedule,
      [&](int rank, int planes) {
        return make_arena(rank, c.equal_start, planes);
      },
      {.clip = c.clip,
       .average_buffers = true,
       .check = c.equal_start,
       .bucket_bytes = c.bucket_bytes});
  for (int64_t step = 0; step < kSteps; ++step) {
    const auto gradient =
        [&](tensor::Arena& arena, int rank, GradientListener* listener) {
          fill_gradient(arena, rank, step);
          announce(listener, rank, step);
        };
    // What is not measured may take a shorter way.
    const bool even = step % 2 == 0;
    team.step(
        step,
        kSteps,
        0.05,
        gradient,
        even ? Measure::kNothing : Measure::kEverything);
    if (c.replaced_at == step) {
      // What a checkpoint or a global average does to a run.
      for (tensor::Arena& arena : team.arenas()) {
        for (float& value : arena.parameters())
          value *= 0.5F;
      }
      team.stepper->parameters_replaced();
    }
  }
  const std::span<const float> parameters = team.arenas()[0].parameters();
  return {
      .sha256 = cluster.parameters_sha256(),
      .messages = cluster.traffic().messages,
      .bytes = cluster.traffic().bytes,
      .squares = team.stepper->squares(0),
      .parameters = {parameters.begin(), parameters.end()}};
}

inline Outcome train_virtually(const Case& c, int threads) {
  ThreadPool pool(threads);
  const auto cluster = make_virtual_cluster(c.n, pool);
  return train(c, *cluster);
}

// A thread for each worker; the outcome of worker 0 with all workers' traffic.
// Those that are near to each other have no core for a second thread.
inline Outcome train_over_threads(
    Case c,
    int64_t chunk_bytes,
    mix::testing::Near near = mix::testing::Near::kNobody) {
  c.bucket_bytes = chunk_bytes;
  auto transports = net::make_local_transports(c.n);
  std::vector<mix::testing::Counts> counts(c.n);
  std::vector<Outcome> outcomes(c.n);
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < c.n; ++rank) {
    threads.emplace_back([&, rank] {
      mix::CommunicatorOptions options;
      options.deadline = std::chrono::seconds(60);
      options.chunk_bytes = chunk_bytes;
      options.cores = 1;
      const auto cluster = make_process_cluster(
          std::make_unique<mix::testing::CountingTransport>(
              std::move(transports[rank]),
              &counts[rank],
              mix::testing::domain_of(near, rank)),
          options);
      outcomes[rank] = train(c, *cluster);
    });
  }
  threads.clear();
  Outcome all = outcomes[0];
  all.messages = 0;
  all.bytes = 0;
  for (const Outcome& outcome : outcomes) {
    all.messages += outcome.messages;
    all.bytes += outcome.bytes;
  }
  return all;
}

// Worker i wants the smallest a_i (x - b_i)^2 / 2.
struct Quadratic {
  double a;
  double b;
};

// All workers' x after some steps of plain gradient descent from 0, in a
// virtual cluster.
inline std::vector<double> train_quadratics(
    const std::vector<Quadratic>& wanted,
    const std::string& agreement_name,
    const graph::Schedule& schedule,
    double lr,
    int64_t steps) {
  ThreadPool pool(1);
  const auto cluster = make_virtual_cluster(schedule.n(), pool);
  const algo::Sgd rule({.momentum = 0});
  Team team(*cluster, agreement_name, rule, schedule, [](int, int planes) {
    return tensor::Arena(
        std::make_shared<tensor::Layout>(
            std::vector<tensor::TensorEntry>{{.name = "x", .shape = {1}}}),
        std::make_shared<tensor::Layout>(),
        planes);
  });
  for (int64_t step = 0; step < steps; ++step) {
    team.step(step, steps, lr, [&](tensor::Arena& arena, int rank, auto*) {
      const auto [a, b] = wanted[rank];
      arena.gradients()[0] =
          static_cast<float>(a * (arena.parameters()[0] - b));
    });
  }
  std::vector<double> result;
  for (const tensor::Arena& arena : team.arenas())
    result.push_back(arena.parameters()[0]);
  return result;
}

// Of one step after the other, whatever moves the planes and however they are
// cut; and what is sent for it.
inline void expect_same_bits(const Case& c) {
  const Outcome one = train_virtually(c, 1);
  const Outcome two = train_virtually(c, 2);
  EXPECT_EQ(one.sha256, two.sha256);
  using mix::testing::Near;
  const std::pair<int64_t, Near> ways[] = {
      {16384, Near::kNobody},
      {1 << 20, Near::kNobody},
      {16384, Near::kPairs},
      {16384, Near::kAll}};
  for (const auto& [chunk, near] : ways) {
    const Outcome threads = train_over_threads(c, chunk, near);
    EXPECT_EQ(one.sha256, threads.sha256)
        << "chunk " << chunk << ", near " << static_cast<int>(near);
    EXPECT_EQ(one.squares.parameters, threads.squares.parameters);
    EXPECT_EQ(one.squares.gradients, threads.squares.gradients);
    EXPECT_EQ(one.squares.updates, threads.squares.updates);
    EXPECT_EQ(one.messages, threads.messages);
    EXPECT_EQ(one.bytes, threads.bytes);
  }
}

inline std::string name_of(const Case& c) {
  std::string name = c.agreement + "_" + c.graph + "_" + std::to_string(c.n) +
                     (c.clip > 0 ? "_clip" : "") +
                     (c.equal_start ? "" : "_apart") +
                     (c.replaced_at < 0 ? "" : "_replaced");
  std::ranges::replace(name, '-', '_');
  return name;
}

} // namespace grapevine::mix
