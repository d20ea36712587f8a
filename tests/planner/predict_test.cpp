#include "planner/predict.h"

#include "base/error.h"
#include "planner/plan_json.h"
#include "planner/recommend.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <set>

namespace grapevine::planner {
namespace {

constexpr int64_t kMegabyte = 1'000'000;

// 25 MB, 180 ms of compute, 10 ms of update.
Question small_question(const std::string& link) {
  Question question;
  question.costs.compute = runtime::uniform_compute(
      0.06,
      0.12,
      0.01,
      runtime::even_buckets(25 * kMegabyte, kMegabyte));
  question.link = transport::parse_link(link);
  question.steps = 40;
  return question;
}

const std::string kOverlapped = "combine-while-adapt";

const Prediction& row(
    const Forecast& forecast,
    const std::string& algorithm,
    const std::string& graph,
    int n) {
  const auto found =
      std::ranges::find_if(forecast.rows, [&](const Prediction& it) {
        return it.candidate.algorithm == algorithm &&
               it.candidate.graph.name == graph && it.candidate.graph.n == n;
      });
  if (found == forecast.rows.end()) throw Error("no such row: " + graph);
  return *found;
}

TEST(Candidates, EachOnceAndAllReduceFirst) {
  const auto list = candidates({}, 8, 1, 1);
  ASSERT_FALSE(list.empty());
  EXPECT_TRUE(list[0].is_all_reduce());
  std::set<std::string> labels;
  for (const Candidate& it : list)
    EXPECT_TRUE(labels.insert(it.label()).second) << it.label();
  EXPECT_TRUE(labels.count("combine-while-adapt, lattice, k = 4"));
  EXPECT_FALSE(labels.count("combine-while-adapt, lattice, k = 8"));
  EXPECT_TRUE(labels.count("adapt-then-combine, one-peer-exponential"));
}

TEST(Candidates, OnlyWhatWasAskedFor) {
  const auto list = candidates(
      {.algorithms = {"adapt-then-combine"},
       .graphs = {"lattice", "aer"},
       .degrees = {2, 6}},
      16,
      4,
      1);
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[1].label(), "adapt-then-combine, lattice, k = 6");
  EXPECT_EQ(
      list[2].flags(),
      "--agreement adapt-then-combine --graph aer --workers-per-node 4");
  // Push-sum where it makes a difference, or by its name.
  EXPECT_EQ(candidates({.graphs = {"ring"}}, 16, 4, 1).size(), 5u);
  EXPECT_EQ(candidates({.graphs = {"one-peer-directed"}}, 16, 4, 1).size(), 7u);
  const Choices by_name = {.algorithms = {"push-sum"}, .graphs = {"ring"}};
  EXPECT_EQ(candidates(by_name, 16, 4, 1)[0].label(), "push-sum, ring");
  EXPECT_THROW(check({.algorithms = {"allreduc"}}), ConfigError);
  EXPECT_THROW(check({.graphs = {"ada"}}), ConfigError);
}

TEST(Predict, IsWhatTheLinesAllow) {
  const Question question = small_question("1gbit,0");
  const Forecast forecast = predict(question, {4, 8});
  const double copy = 25e6 / (125e6 * transport::kPayloadShare);
  const auto seconds =
      [&](const std::string& algorithm, const std::string& graph, int n) {
        return row(forecast, algorithm, graph, n).times.seconds;
      };
  EXPECT_NEAR(seconds(kOverlapped, "one-peer-exponential", 8), copy, 1e-3);
  EXPECT_NEAR(seconds(kOverlapped, "ring", 8), 2 * copy, 1e-3);
  EXPECT_NEAR(seconds(kOverlapped, "aer", 8), 0.19, 1e-3);
  // Forward, the first bucket's backward, and the bytes.
  EXPECT_NEAR(
      seconds("allreduce", "complete", 4),
      0.06 + 0.12 / 25 + 1.5 * copy + 0.01 / 25,
      1e-3);
  EXPECT_LE(
      seconds("adapt-then-combine", "one-peer-exponential", 8),
      0.06 + 0.13 + copy);
  // The parameters, and then the gradients.
  EXPECT_NEAR(
      seconds("gradient-tracking", "one-peer-exponential", 8),
      seconds("adapt-then-combine", "one-peer-exponential", 8) + copy,
      1e-3);
  // To one peer and from another.
  EXPECT_NEAR(
      seconds("push-sum-overlapped", "one-peer-directed", 8),
      copy,
      1e-3);
  // A replica there and one back for each gradient, and waits for partners.
  EXPECT_GT(seconds("gossip", "ring", 8), copy);
  EXPECT_LT(seconds("gossip", "ring", 8), 1.5 * copy);
}

// Asynchronous workers do not wait for slow ones, nor for links that carry
// more than they ask for.
TEST(Predict, GossipTakesWhatItsWorkersTake) {
  Question question = small_question("10gbit,0");
  question.choices.algorithms = {"allreduce", "gossip"};
  question.slow = transport::parse_slow("3:3");
  const Forecast forecast = predict(question, {8});
  const auto& central = row(forecast, "allreduce", "complete", 8);
  EXPECT_GT(central.times.seconds, 3 * 0.18);
  const double shared = 8 / (7 / 0.19 + 1 / (3 * 0.18 + 0.01));
  for (const Prediction& it : forecast.rows) {
    if (!it.candidate.is_asynchronous()) continue;
    EXPECT_NEAR(it.times.seconds, shared, 0.02 * shared)
        << it.candidate.label();
    EXPECT_NEAR(it.copies, 1, 0.1);
  }
  EXPECT_EQ(
      row(forecast, "gossip", "ring", 8).candidate.flags(),
      "--agreement gossip --graph ring --continuous-momentum true");
}

// Slopes that were simulated (docs/results.md): rings of 16 and 64.
TEST(Predict, GossipAgreesAsSimulated) {
  const auto steps = [](const std::string& graph, int n) {
    return gossip_steps_to_agree(
        graph::analyse(*graph::make_schedule({.name = graph, .n = n})));
  };
  EXPECT_NEAR(steps("ring", 16), std::log(100) / 0.22, 0.1 * 21);
  EXPECT_NEAR(steps("ring", 64), std::log(100) / 0.057, 0.1 * 81);
  EXPECT_NEAR(steps("complete", 16), std::log(100) * 15 / 16, 1e-6);
  EXPECT_EQ(steps("ring", 1), 1);
}

TEST(Predict, PartsAddUpAndMixingIsTold) {
  const Forecast forecast = predict(small_question("1gbit,1ms"), {8});
  for (const Prediction& it : forecast.rows) {
    EXPECT_NEAR(
        it.times.compute + it.times.exposed + it.times.straggler,
        it.times.seconds,
        1e-3)
        << it.candidate.label();
    EXPECT_NEAR(it.times.compute, 0.19, 1e-9) << it.candidate.label();
    EXPECT_EQ(it.steps_to_agree == 0, it.candidate.is_all_reduce());
  }
  const auto& pairs = row(forecast, kOverlapped, "one-peer-exponential", 8);
  EXPECT_EQ(pairs.steps_to_agree, 3); // the period averages exactly
  EXPECT_EQ(pairs.copies, 1);
  EXPECT_EQ(pairs.plan, "groups");
  const auto& ring = row(forecast, kOverlapped, "ring", 8);
  EXPECT_NEAR(
      ring.steps_to_agree,
      std::log(10) / -std::log((1 + std::sqrt(2)) / 3),
      1e-6);
}

TEST(Predict, WhatNDoesNotAllowIsNamed) {
  Question question = small_question("1gbit,0");
  question.choices.graphs = {"hypercube", "ring"};
  const Forecast forecast = predict(question, {6});
  EXPECT_EQ(forecast.rows.size(), 5u);
  ASSERT_EQ(forecast.skipped.size(), 4u);
  EXPECT_EQ(forecast.skipped[0].candidate.graph.name, "hypercube");
  EXPECT_FALSE(forecast.skipped[0].why.empty());
}

TEST(Predict, MissingLinksAndWorkersAreRefused) {
  Question question = small_question("1gbit,0");
  question.link.reset();
  question.workers_per_node = 1;
  EXPECT_THROW(predict(question, {4}), ConfigError);
  question = small_question("1gbit,0");
  question.slow = transport::parse_slow("7:2");
  EXPECT_THROW(predict(question, {4}), ConfigError);
}

TEST(Predict, StragglersAreCounted) {
  Question question = small_question("unlimited,0");
  question.slow = transport::parse_slow("random:0.1:2");
  question.steps = 400;
  const Forecast forecast = predict(question, {8});
  const auto& central = row(forecast, "allreduce", "complete", 8);
  const auto& pairs = row(forecast, kOverlapped, "one-peer-exponential", 8);
  EXPECT_GT(central.times.straggler, 0.07);
  EXPECT_LT(pairs.times.straggler, central.times.straggler / 2);
  EXPECT_NEAR(central.times.exposed, 0, 1e-6);
}

TEST(Sweep, RatesAndAnswers) {
  const Question question = small_question("1gbit,0");
  EXPECT_NEAR(link_rate(question, 8), 125e6, 1);
  const auto rates = rates_around(125e6, 3);
  EXPECT_NEAR(rates[0], 125e4, 1);
  EXPECT_NEAR(rates[1], 125e6, 1);
  EXPECT_NEAR(rates[2], 125e8, 1);
  Sweeper sweeper(question, 8);
  const Sweep sweep = sweeper.sweep(rates);
  for (const auto& seconds : sweep.seconds) {
    EXPECT_GE(seconds[0], seconds[1] * (1 - 1e-9));
    EXPECT_GE(seconds[1], seconds[2] * (1 - 1e-9));
    EXPECT_NEAR(seconds[2], 0.19, 0.01);
  }
  // With bandwidth to spare, nothing is faster than All-Reduce.
  EXPECT_TRUE(sweeper.candidate(sweeper.answer(125e9)).is_all_reduce());
  EXPECT_FALSE(sweeper.candidate(sweeper.answer(125e6)).is_all_reduce());
}

TEST(Sweep, TiesGoToThoseWhoAgreeSoonest) {
  EXPECT_EQ(choose({1.0, 1.01, 1.02, 1.2}, {9, 3, 5, 0}), 1);
  EXPECT_EQ(choose({1.0, 1.02}, {9, 0}), 1);
  EXPECT_EQ(choose({1.0, 0.99}, {2, 2}), 1);
}

TEST(Recommend, SaysWhatAndWhenAndWhatWouldChangeIt) {
  const Question question = small_question("1gbit,0");
  const Forecast forecast = predict(question, {8});
  const Recommendation answer = recommend(question, forecast, 8);
  EXPECT_EQ(answer.use.candidate.graph.name, "aer");
  EXPECT_EQ(answer.use.candidate.algorithm, kOverlapped);
  ASSERT_GE(answer.regimes.size(), 2u);
  EXPECT_TRUE(answer.regimes.back().candidate.is_all_reduce());
  for (size_t r = 1; r < answer.regimes.size(); ++r)
    EXPECT_EQ(answer.regimes[r].from, answer.regimes[r - 1].to);
  // At the ends the answer really changes.
  Sweeper sweeper(question, 8);
  for (size_t r = 1; r < answer.regimes.size(); ++r) {
    const double end = answer.regimes[r].from;
    const auto label = [&](double rate) {
      return sweeper.candidate(sweeper.answer(rate)).label();
    };
    EXPECT_EQ(label(end / 1.03), answer.regimes[r - 1].candidate.label());
    EXPECT_EQ(label(end * 1.001), answer.regimes[r].candidate.label());
  }
  ASSERT_FALSE(answer.sentences.empty());
  EXPECT_NE(answer.sentences[0].find("--graph aer"), std::string::npos);
}

TEST(Recommend, TextsOfRatesAndTimes) {
  EXPECT_EQ(rate_text(125e6), "1 Gbit/s");
  EXPECT_EQ(rate_text(runtime::kUnlimited), "unlimited");
  EXPECT_EQ(time_text(0.0617), "61.7 ms");
  EXPECT_EQ(time_text(0), "0 ms");
  EXPECT_EQ(time_text(2e-5), "20 us");
}

TEST(PlanJson, HasTheNamesThatScriptsRelyOn) {
  const Question question = small_question("1gbit,0");
  const Forecast forecast = predict(question, {4});
  const auto json = to_json(forecast);
  for (const char* key :
       {"algorithm",
        "graph",
        "k",
        "n",
        "seconds",
        "compute",
        "exposed",
        "straggler",
        "waited",
        "gain",
        "messages_per_step",
        "model_copies_per_step",
        "plan",
        "degree",
        "spectral_gap",
        "steps_to_agree"}) {
    EXPECT_TRUE(json.at("rows")[0].contains(key)) << key;
  }
  EXPECT_EQ(json.at("rows")[0].at("gain"), 1);
  EXPECT_EQ(to_json(question).at("link"), "1gbit");
}

} // namespace
} // namespace grapevine::planner
