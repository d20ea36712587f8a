// One synchronous step, in a virtual cluster and over threads: the same bits,
// the theory's means, and the invariants that --check looks at.
#include "mix/stepper.h"
#include "mix/invariants.h"
#include "mix/stepper_support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <thread>
#include <vector>

namespace grapevine::mix {
namespace {

class SameBits : public ::testing::TestWithParam<Case> {};

TEST_P(SameBits, VirtualAndThreadsForAnyChunkAndThreadCount) {
  expect_same_bits(GetParam());
}

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const int n : {1, 2, 3, 4, 7}) {
    list.push_back({.agreement = "allreduce", .graph = "complete", .n = n});
    list.push_back(
        {.agreement = "allreduce", .graph = "complete", .n = n, .clip = 1});
    for (const char* graph :
         {"ring", "torus", "exponential", "complete", "ada"}) {
      list.push_back({.graph = graph, .n = n});
    }
    list.push_back({.graph = "ring", .n = n, .clip = 1});
    list.push_back({.graph = "ring", .n = n, .equal_start = false});
    for (const char* graph :
         {"ring", "exponential", "complete", "ada", "star", "lattice"}) {
      list.push_back(
          {.agreement = "combine-while-adapt", .graph = graph, .n = n});
    }
    for (const char* agreement : {"push-sum", "push-sum-overlapped"}) {
      list.push_back({.agreement = agreement, .graph = "lopsided", .n = n});
      Case apart = list.back();
      apart.equal_start = false;
      apart.clip = 1;
      list.push_back(apart);
      list.push_back(
          {.agreement = agreement, .graph = "one-peer-directed", .n = n});
    }
    for (const char* graph :
         {"ring", "complete", "star", "one-peer-directed"}) {
      list.push_back(
          {.agreement = "gradient-tracking", .graph = graph, .n = n});
    }
    list.push_back(
        {.agreement = "gradient-tracking", .n = n, .equal_start = false});
    Case ahead{.agreement = "combine-while-adapt", .n = n};
    ahead.equal_start = false;
    list.push_back(ahead);
    ahead.clip = 1;
    list.push_back(ahead);
    ahead.replaced_at = 1;
    list.push_back(ahead);
    if (n % 2 != 0) continue;
    list.push_back(
        {.agreement = "combine-while-adapt",
         .graph = "one-peer-exponential",
         .n = n});
    list.push_back(
        {.agreement = "combine-while-adapt", .graph = "aer", .n = n});
  }
  return list;
}

INSTANTIATE_TEST_SUITE_P(
    All,
    SameBits,
    ::testing::ValuesIn(cases()),
    [](const auto& info) { return name_of(info.param); });

TEST(Stepper, AdaptThenCombineOnCompleteFollowsAllreduce) {
  Case c{.graph = "complete", .n = 6};
  const Outcome decentralized = train_virtually(c, 1);
  c.agreement = "allreduce";
  const Outcome centralized = train_virtually(c, 1);
  for (size_t i = 0; i < centralized.parameters.size(); ++i) {
    ASSERT_NEAR(decentralized.parameters[i], centralized.parameters[i], 2e-6)
        << i;
  }
}

// x <- (1 - s) x + s sum_j W_ij x_j, of what is sent; at s = 1 the sum, bit for
// bit (which all other tests take).
TEST(Stepper, MixesByTheStrengthAskedFor) {
  constexpr int kWorkers = 4;
  constexpr double kStrength = 0.25;
  constexpr double kLr = 0.125;
  ThreadPool pool(1);
  const auto schedule = graph::make_schedule({.name = "ring", .n = kWorkers});
  for (const std::string name : {"adapt-then-combine", "combine-while-adapt"}) {
    for (const Measure measure : {Measure::kNothing, Measure::kEverything}) {
      const auto cluster = make_virtual_cluster(kWorkers, pool);
      const algo::Agreement& agreement = algo::find_agreement(name);
      const algo::Sgd rule({.momentum = 0});
      Team team(
          *cluster,
          name,
          rule,
          *schedule,
          [](int rank, int planes) { return make_arena(rank, false, planes); },
          {.check = true});
      auto& arenas = team.arenas();
      team.stepper->step(
          {.moment = {},
           .lr = kLr,
           .mixing_strength = kStrength,
           .measure = measure,
           .compute_gradient = [&](int index, GradientListener*) {
             fill_gradient(arenas[index], index, 0);
           }});
      // What is sent: after the local step, or before it.
      const bool ahead = agreement.sends_ahead();
      std::vector<tensor::Arena> sent;
      for (int rank = 0; rank < kWorkers; ++rank) {
        sent.push_back(make_arena(rank, false));
        fill_gradient(sent[rank], rank, 0);
        if (ahead) continue;
        for (size_t e = 0; e < sent[rank].parameters().size(); ++e) {
          sent[rank].parameters()[e] -=
              static_cast<float>(kLr) * sent[rank].gradients()[e];
        }
      }
      for (int rank = 0; rank < kWorkers; ++rank) {
        for (const auto& tensor : arenas[rank].layout().tensors()) {
          for (int64_t e = tensor.offset; e < tensor.range().end; ++e) {
            double sum = 0;
            for (const auto& term : schedule->at({})->row(rank))
              sum += term.weight * sent[term.rank].parameters()[e];
            double expected =
                (1 - kStrength) * sent[rank].parameters()[e] + kStrength * sum;
            if (ahead) expected -= kLr * sent[rank].gradients()[e];
            ASSERT_NEAR(arenas[rank].parameters()[e], expected, 1e-5)
                << name << " " << rank << " " << e;
          }
        }
      }
    }
  }
}

// One step of plain SGD on the ring: everything that is measured, by hand.
TEST(Stepper, MeasuresWhatTheStepDid) {
  constexpr int kWorkers = 3;
  constexpr float kLr = 0.25F;
  const tensor::Arena old = make_arena(1, false);
  const auto schedule = graph::make_schedule({.name = "ring", .n = kWorkers});
  const algo::Sgd rule({.momentum = 0});
  for (const std::string name : {"adapt-then-combine", "allreduce"}) {
    ThreadPool pool(1);
    const auto cluster = make_virtual_cluster(kWorkers, pool);
    Team team(*cluster, name, rule, *schedule, [](int rank, int planes) {
      return make_arena(rank, false, planes);
    });
    team.step(
        0,
        1,
        kLr,
        [](tensor::Arena& arena, int rank, auto*) {
          fill_gradient(arena, rank, 0);
        },
        Measure::kEverything);
    std::vector<double> gradients(3);
    std::vector<double> updates(3);
    std::vector<double> after(3);
    std::vector<tensor::Arena> fresh;
    for (int rank = 0; rank < kWorkers; ++rank) {
      fresh.push_back(make_arena(rank, false));
      fill_gradient(fresh.back(), rank, 0);
    }
    for (int t = 0; t < 3; ++t) {
      const Range range = old.layout().tensors()[t].range();
      for (int64_t i = range.begin; i < range.end; ++i) {
        const double x = old.parameters()[i];
        const double own = fresh[1].gradients()[i];
        double mean = 0;
        for (const tensor::Arena& arena : fresh)
          mean += arena.gradients()[i] / 3.0;
        const double used = name == "allreduce" ? mean : own;
        gradients[t] += own * own;
        updates[t] += kLr * used * kLr * used;
        after[t] += (x - kLr * used) * (x - kLr * used);
      }
      const Stepper::Squares squares = team.stepper->squares(1);
      EXPECT_NEAR(squares.gradients[t], gradients[t], 1e-6 * gradients[t]);
      EXPECT_NEAR(squares.updates[t], updates[t], 1e-4 * updates[t]) << name;
      EXPECT_NEAR(squares.parameters[t], after[t], 1e-6 * after[t]);
    }
  }
}

TEST(Stepper, MeasuresNothingUnlessAsked) {
  ThreadPool pool(1);
  const auto cluster = make_virtual_cluster(1, pool);
  const auto schedule = graph::make_schedule({.name = "ring", .n = 1});
  const algo::Sgd rule({.momentum = 0});
  Team team(
      *cluster,
      "adapt-then-combine",
      rule,
      *schedule,
      [](int rank, int planes) { return make_arena(rank, true, planes); });
  const Stepper& stepper = *team.stepper;
  const auto step = [&](Measure measure) {
    const auto gradient = [](tensor::Arena& arena, int rank, auto*) {
      fill_gradient(arena, rank, 0);
    };
    team.step(0, 1, 0.1, gradient, measure);
  };
  step(Measure::kNorms);
  EXPECT_EQ(stepper.squares(0).parameters.size(), 3U);
  EXPECT_TRUE(stepper.squares(0).updates.empty());
  EXPECT_TRUE(stepper.squares(0).gradients.empty());
  step(Measure::kNothing);
  EXPECT_TRUE(stepper.squares(0).parameters.empty());
}

// Sums, gathers and the mean of pieces, over threads as in one process.
class ClusterSums : public ::testing::TestWithParam<int> {};

struct Sums {
  std::vector<double> sums;
  Rows gathered;
  std::vector<float> mean;
  mix::Traffic traffic;
};

Sums take_sums(Cluster& cluster) {
  std::vector<tensor::Arena> arenas;
  Rows rows;
  for (const int rank : cluster.hosted()) {
    arenas.push_back(make_arena(rank, false));
    rows.push_back({0.1 * rank, 1e-9 + rank * rank / 3.0});
  }
  std::vector<tensor::Arena*> pointers;
  for (tensor::Arena& arena : arenas)
    pointers.push_back(&arena);
  cluster.attach(pointers);
  Sums result;
  result.sums = cluster.sum(rows);
  result.gathered = cluster.gather(rows);
  const std::vector<Range> pieces = {{0, 16}, {32, 40}, {48, 49}};
  result.mean.resize(25);
  cluster.mean(algo::Plane::kParameters, pieces, result.mean);
  result.traffic = cluster.traffic();
  return result;
}

TEST_P(ClusterSums, AreTheSameBitsOverThreads) {
  const int n = GetParam();
  ThreadPool pool(2);
  const Sums one = take_sums(*make_virtual_cluster(n, pool));
  EXPECT_NEAR(one.sums[0], 0.05 * n * (n - 1), 1e-12);
  EXPECT_EQ(one.traffic.messages, 2 * (n - 1));
  EXPECT_EQ(one.traffic.bytes, 2 * (n - 1) * 16);

  auto transports = net::make_local_transports(n);
  std::vector<Sums> all(n);
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < n; ++rank) {
      threads.emplace_back([&, rank] {
        all[rank] =
            take_sums(*make_process_cluster(std::move(transports[rank]), {}));
      });
    }
  }
  mix::Traffic traffic;
  for (int rank = 0; rank < n; ++rank) {
    EXPECT_EQ(all[rank].sums, one.sums);
    EXPECT_EQ(all[rank].mean, one.mean);
    EXPECT_EQ(all[rank].gathered, rank == 0 ? one.gathered : Rows{});
    traffic.messages += all[rank].traffic.messages;
    traffic.bytes += all[rank].traffic.bytes;
  }
  EXPECT_EQ(traffic.messages, one.traffic.messages);
  EXPECT_EQ(traffic.bytes, one.traffic.bytes);
}

INSTANTIATE_TEST_SUITE_P(
    Workers,
    ClusterSums,
    ::testing::Values(1, 2, 3, 4, 7, 8));

TEST(Invariants, MeanViolationNamesStepTensorAndWorker) {
  const tensor::Arena arena = make_arena(0, true);
  const Rows before = {{1, 2, 3}, {1, 2, 3}};
  Rows after = before;
  const Rows magnitudes = {{10, 10, 10}, {10, 10, 10}};
  EXPECT_NO_THROW(
      check_mean_preserved(arena.layout(), before, after, magnitudes, 12));
  after[1][2] += 0.1;
  try {
    check_mean_preserved(arena.layout(), before, after, magnitudes, 12);
    FAIL();
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("step 12"), std::string::npos) << text;
    EXPECT_NE(text.find("'v'"), std::string::npos) << text;
    EXPECT_NE(text.find("worker 1"), std::string::npos) << text;
  }
}

TEST(Invariants, UnequalReplicasAreNamed) {
  tensor::Arena a = make_arena(0, true);
  tensor::Arena b = make_arena(0, true);
  const auto rows = [&] {
    return Rows{
        tensor_fingerprints(a.layout(), a.parameters()),
        tensor_fingerprints(b.layout(), b.parameters())};
  };
  EXPECT_NO_THROW(check_replicas_equal(a.layout(), rows(), 3));
  float& value = b.parameters()[b.layout().tensors()[1].offset];
  value = std::nextafter(value, 10.0F);
  try {
    check_replicas_equal(a.layout(), rows(), 3);
    FAIL();
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("step 3"), std::string::npos) << text;
    EXPECT_NE(text.find("'b'"), std::string::npos) << text;
    EXPECT_NE(text.find("worker 1"), std::string::npos) << text;
  }
}

} // namespace
} // namespace grapevine::mix
