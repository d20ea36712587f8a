// `plan measure` alone, under launchers, with limited links and slow workers.
#include "base/link_options.h"
#include "cli/program_runner.h"
#include "sim/costs.h"

namespace grapevine::cli {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

class PlanMeasure : public ::testing::Test {
 protected:
  Words words(const Words& more = {}, const std::string& seconds = "1") const {
    Words words = {
        "plan",
        "measure",
        "--data",
        "synthetic",
        "--model",
        "mlp",
        "--batch",
        "8",
        "--seconds",
        seconds,
        "--out",
        file_,
        "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  // Between n processes of `launch`.
  sim::Costs launched(int n, const Words& limits, const Words& more = {}) {
    Words all = {"launch", "-n", std::to_string(n)};
    all.insert(all.end(), limits.begin(), limits.end());
    all.push_back("--");
    const Words measure = words(more);
    all.insert(all.end(), measure.begin(), measure.end());
    return costs_of(grapevine(all));
  }

  sim::Costs costs_of(const Answer& answer) {
    EXPECT_EQ(answer.exit_code, 0) << answer.error;
    return sim::read_costs(file_);
  }

  json predicted(const Words& more) {
    Words all = {"plan", "predict", "--costs", file_, "--json"};
    all.insert(all.end(), more.begin(), more.end());
    const Answer answer = grapevine(all);
    EXPECT_EQ(answer.exit_code, 0) << answer.error;
    return json::parse(answer.out, nullptr, false);
  }

  const Scratch scratch_;
  const std::string file_ = scratch_.file("costs.json");
};

TEST_F(PlanMeasure, Alone) {
  const Answer answer = grapevine(words());
  const sim::Costs costs = costs_of(answer);
  EXPECT_EQ(json::parse(answer.out).at("between"), nullptr);
  EXPECT_EQ(costs.compute.workers.size(), 1u);
  EXPECT_EQ(costs.compute.batch, 8);
  EXPECT_EQ(costs.compute.bucket_bytes.size(), 6u); // the MLP's tensors
  EXPECT_GT(costs.compute.update_seconds_per_byte, 0);
  EXPECT_FALSE(costs.inside || costs.between);
  // Nothing joins several, which one should hear at once.
  EXPECT_TRUE(contains(answer.error, "need --link\n")) << answer.error;
  EXPECT_EQ(
      grapevine({"plan", "predict", "--costs", file_, "-n", "4"}).exit_code,
      2);
}

TEST_F(PlanMeasure, StopsByTheClock) {
  const sim::Costs costs = costs_of(grapevine(words({}, "0.001")));
  EXPECT_EQ(costs.compute.workers[0].size(), 1u);
}

// All that makes the task and the local rule of a run can be said here, too.
TEST_F(PlanMeasure, TakesTheKeysOfTheTask) {
  costs_of(grapevine(words(
      {"--train-samples",
       "512",
       "--optimizer",
       "sgd",
       "--nesterov",
       "--weight-decay",
       "0.1"})));
  expect_refusal(words({"--graph", "ring"}), "--graph");
}

TEST_F(PlanMeasure, UnderLaunch) {
  const sim::Costs costs = launched(3, {});
  EXPECT_EQ(costs.compute.workers.size(), 3u);
  EXPECT_EQ(costs.nodes, 1);
  EXPECT_EQ(costs.workers_per_node, 3);
  ASSERT_TRUE(costs.inside);
  EXPECT_GT(costs.inside->bandwidth, 1e6);
  EXPECT_FALSE(predicted({"-n", "2,4"}).at("rows").empty());
}

TEST_F(PlanMeasure, UnderMpirun) {
  const sim::Costs costs = costs_of(start_program(
      words(),
      "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
      "OMP_NUM_THREADS=1 mpirun --oversubscribe -np 3"));
  EXPECT_EQ(costs.compute.workers.size(), 3u);
  EXPECT_EQ(costs.nodes, 1);
  EXPECT_EQ(costs.workers_per_node, 3);
  ASSERT_TRUE(costs.inside);
  EXPECT_GT(costs.inside->bandwidth, 1e6);
}

// Workers with limited links pass for nodes.
TEST_F(PlanMeasure, OverLimitedLinks) {
  const sim::Costs costs = launched(2, {"--link", "100mbit,1ms"});
  EXPECT_EQ(costs.nodes, 2);
  ASSERT_TRUE(costs.between);
  const double rate = 100e6 / 8 * kPayloadShare;
  EXPECT_LT(costs.between->bandwidth, 1.1 * rate);
  EXPECT_GT(costs.between->bandwidth, 0.2 * rate); // of a busy machine
  EXPECT_GE(costs.between->latency, 0.9e-3);
}

TEST_F(PlanMeasure, SeesSlowWorkers) {
  constexpr double kFactor = 20; // more than a busy machine makes of it
  const sim::Costs costs = launched(2, {"--slow", "1:20"}, {"--batch", "32"});
  ASSERT_EQ(costs.compute.workers.size(), 2u);
  const double even = costs.compute.mean(0).total();
  EXPECT_GT(costs.compute.mean(1).total(), kFactor / 4 * even);
  const json rows =
      predicted({"-n", "2", "--algorithms", "allreduce"}).at("rows");
  EXPECT_GT(rows.at(0).at("straggler").get<double>(), 2 * even);
}

} // namespace
} // namespace grapevine::cli
