#include "sim/model.h"

#include "sim/support.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace grapevine::sim {
namespace {

const std::vector<std::string> kAgreements = {
    "combine-while-adapt",
    "adapt-then-combine",
    "allreduce"};

std::vector<int64_t> ten_buckets() {
  return std::vector<int64_t>(10, kMegabyte);
}

StepTimes run(
    const Costs& costs,
    const std::string& graph,
    ModelOptions options,
    int steps = 40,
    int from = 20) {
  const auto it = schedule(graph, options.n, options.workers_per_node);
  RuntimeModel model(costs, options);
  return mean_times(model, *it, from, steps, costs.compute.model_bytes());
}

// One plane over a pair: 10 MB at 100 MB/s are 0.1 s.
TEST(RuntimeModel, OverlapIsTheLargerOfComputeAndCommunication) {
  for (const double compute : {0.01, 0.05, 0.09, 0.11, 0.2, 0.5}) {
    const Costs costs = cluster(
        0,
        1e8,
        uniform_compute(compute / 3, compute * 2 / 3, 0, ten_buckets()));
    const StepTimes times =
        run(costs, "one-peer-exponential", workers(8, kOverlapped));
    const double expected = std::max(compute, 0.1);
    EXPECT_NEAR(times.seconds, expected, 0.02 * expected) << compute;
    EXPECT_NEAR(times.exposed, expected - compute, 0.02 * expected);
  }
}

TEST(RuntimeModel, WithoutLimitsOnlyComputeCounts) {
  const Costs costs =
      cluster(0, kUnlimited, uniform_compute(0.1, 0.2, 0.05, ten_buckets()));
  for (const std::string& name : kAgreements) {
    const char* graph = name == "allreduce" ? "complete" : "ring";
    const StepTimes times = run(costs, graph, workers(8, name));
    EXPECT_NEAR(times.seconds, 0.35, kClose);
    EXPECT_NEAR(times.compute, 0.35, kClose);
    EXPECT_NEAR(times.exposed, 0, kClose);
    EXPECT_NEAR(times.straggler, 0, kClose);
  }
}

// Links twice as fast, or bytes that count as half.
TEST(RuntimeModel, BytesMayCountAsLess) {
  const auto compute = uniform_compute(0.01, 0.02, 0, ten_buckets());
  const auto slow = cluster(1e-3, 1e8, compute);
  const auto fast = cluster(1e-3, 2e8, compute);
  const Network network(slow, 8, 1);
  const auto factor = Network(fast, 8, 1).times_as_fast(network);
  ASSERT_TRUE(factor);
  EXPECT_NEAR(*factor, 2, kClose);
  EXPECT_FALSE(Network(links(2e-3, 2e8), 8, 1).times_as_fast(network));
  EXPECT_FALSE(Network(fast, 4, 1).times_as_fast(network));
  EXPECT_FALSE(Network(links(1e-3, kUnlimited), 8, 1).times_as_fast(network));
  const auto ring = schedule("ring", 8);
  const auto plan = plan_at(*ring, 0, compute.model_bytes());
  for (const std::string& name : kAgreements) {
    RuntimeModel faster(fast, workers(8, name));
    RuntimeModel lighter(slow, workers(8, name));
    const auto exchange = lighter.exchange_of(*plan);
    for (int step = 0; step < 10; ++step) {
      const double seconds = faster.advance(step, *plan).seconds;
      EXPECT_NEAR(
          lighter.advance(step, *exchange, 0.5).seconds,
          seconds,
          kClose);
    }
    // Nothing changes from step to step any more.
    const std::vector<double> before = faster.state();
    const double seconds = faster.advance(10, *plan).seconds;
    EXPECT_TRUE(faster.has_moved_evenly(before));
    EXPECT_NEAR(faster.advance(11, *plan).seconds, seconds, kClose);
  }
}

TEST(RuntimeModel, StepsThatDifferDoNotMoveEvenly) {
  // One bucket: who is slow holds up its neighbours, not all.
  const auto costs =
      cluster(0, 1e8, uniform_compute(0.01, 0.02, 0, {kMegabyte}));
  const auto ring = schedule("ring", 8);
  const auto plan = plan_at(*ring, 0, costs.compute.model_bytes());
  RuntimeModel model(costs, {.n = 8, .slow = parse_slow("3:2")});
  const std::vector<double> before = model.state();
  model.advance(0, *plan);
  EXPECT_FALSE(model.has_moved_evenly(before));
}

TEST(RuntimeModel, MoreBandwidthIsNeverSlower) {
  for (const std::string& name : kAgreements) {
    const bool central = name == "allreduce";
    for (const char* graph : {"complete", "ring", "one-peer-ring", "aer"}) {
      if (central && std::string(graph) != "complete") continue;
      double before = kUnlimited;
      for (const double rate : {1e6, 1e7, 3e7, 1e8, 3e8, 1e9, kUnlimited}) {
        const Costs costs =
            cluster(1e-3, rate, uniform_compute(0.1, 0.2, 0.01, ten_buckets()));
        const double seconds = run(costs, graph, workers(8, name)).seconds;
        EXPECT_LE(seconds, before * (1 + 1e-9)) << graph << " " << rate;
        before = seconds;
      }
    }
  }
}

// Every worker twice as slow in a random tenth of its steps, 8 workers, hardly
// any time for communication: an all-reduce is held up whenever one of 8 is,
// in 1 - 0.9^8 = 57 % of the steps. Pairs that meet a step later lose a third
// of that.
TEST(RuntimeModel, RandomSlownessCostsAllReduceMost) {
  const Costs costs = cluster(0, 1e9, uniform_compute(1, 2, 0, ten_buckets()));
  const auto loss = [&](const char* name, const std::string& graph) {
    ModelOptions options = workers(8, name);
    const double without = run(costs, graph, options, 4200, 200).seconds;
    options.slow = {.workers = {}, .random_share = 0.1, .random_factor = 2};
    const double with = run(costs, graph, options, 4200, 200).seconds;
    return with / without - 1;
  };
  const double all = loss("allreduce", "complete");
  EXPECT_NEAR(all, 0.57, 0.02);
  for (const char* graph : {"one-peer-ring", "one-peer-exponential"}) {
    const double overlapped = loss("combine-while-adapt", graph);
    EXPECT_NEAR(overlapped, 0.185, 0.02) << graph;
    EXPECT_LT(overlapped, all / 2) << graph;
    EXPECT_LT(loss("adapt-then-combine", graph), all) << graph;
  }
}

TEST(RuntimeModel, PartsAddUp) {
  const Costs costs =
      cluster(1e-3, 1e8, uniform_compute(0.02, 0.04, 0.01, ten_buckets()));
  for (const std::string& name : kAgreements) {
    ModelOptions options = workers(8, name);
    options.slow = {
        .workers = {{.rank = 3, .factor = 1.5}},
        .random_share = 0.2,
        .random_factor = 3};
    const char* graph = name == "allreduce" ? "complete" : "ring";
    const StepTimes times = run(costs, graph, options, 1000, 100);
    EXPECT_NEAR(
        times.compute + times.exposed + times.straggler,
        times.seconds,
        0.01 * times.seconds);
    EXPECT_GT(times.straggler, 0);
  }
}

// A worker that is always slow holds everybody up, whatever the graph: nobody
// can be more than a few steps ahead.
TEST(RuntimeModel, OneSlowWorkerSetsThePace) {
  const Costs costs =
      cluster(0, kUnlimited, uniform_compute(1, 2, 0, {kMegabyte}));
  for (const char* graph : {"ring", "one-peer-exponential"}) {
    ModelOptions options = workers(8, kOverlapped);
    options.slow = {.workers = {{.rank = 3, .factor = 2}}};
    const StepTimes times = run(costs, graph, options, 400, 200);
    EXPECT_NEAR(times.seconds, 6, 1e-6);
    EXPECT_NEAR(times.compute, 3 * 9.0 / 8, 1e-6);
    EXPECT_NEAR(times.straggler, 6 - 3 * 9.0 / 8, 1e-6);
  }
}

TEST(RuntimeModel, RepeatsFromItsSeed) {
  Compute compute = uniform_compute(0.1, 0.2, 0, ten_buckets());
  for (int t = 1; t < 20; ++t) {
    auto sample = compute.workers[0][0];
    sample.forward *= 1 + 0.1 * t;
    compute.workers[0].push_back(sample);
  }
  const Costs costs = cluster(1e-3, 1e8, compute);
  const auto seconds = [&](uint64_t seed) {
    return run(costs, "ring", {.n = 4, .seed = seed}).seconds;
  };
  EXPECT_EQ(seconds(1), seconds(1));
  EXPECT_NE(seconds(1), seconds(2));
}

TEST(RuntimeModel, GoesOnAfterRestore) {
  const Costs costs =
      cluster(1e-3, 1e8, uniform_compute(0.1, 0.2, 0.01, ten_buckets()));
  for (const char* name :
       {"combine-while-adapt",
        "adapt-then-combine",
        "gradient-tracking",
        "allreduce"}) {
    const bool central = std::string(name) == "allreduce";
    const auto graph = schedule(central ? "complete" : "one-peer-ring", 4);
    ModelOptions options = workers(4, name);
    options.slow = parse_slow("random:0.5:2");
    RuntimeModel whole(costs, options);
    RuntimeModel later(costs, options);
    for (int step = 0; step < 20; ++step) {
      const auto plan = plan_at(*graph, step, 10 * kMegabyte);
      if (step == 9) later.restore(whole.state());
      whole.advance(step, *plan);
      if (step >= 9) later.advance(step, *plan);
    }
    EXPECT_EQ(whole.now(), later.now()) << name;
    EXPECT_EQ(whole.state(), later.state()) << name;
  }
}

TEST(ComputeTimes, MeanIsTheMean) {
  Compute compute = uniform_compute(1, 3, 0, {100, 200});
  compute.workers.push_back({{.forward = 2, .backward = {4, 4}}});
  const SlowOptions slow{
      .workers = {{.rank = 1, .factor = 2}},
      .random_share = 0.1,
      .random_factor = 2};
  const int n = 3;
  const ComputeTimes times(compute, n, 1, slow);
  double forward = 0;
  const int steps = 20000;
  for (int step = 0; step < steps; ++step) {
    for (const double it : times.at(step).forward)
      forward += it / (n * steps);
  }
  EXPECT_NEAR(times.mean().forward[0], forward, 0.01 * forward);
  EXPECT_NEAR(forward, 1.1 * (1 + 2 * 2 + 1) / 3, 0.01 * forward);
}

} // namespace
} // namespace grapevine::sim
