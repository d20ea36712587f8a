#include "sim/predict.h"

#include "net/packed/packed_transport.h"
#include "sim/plan_json.h"
#include "sim/predict_support.h"
#include "sim/sweep.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace grapevine::sim {
namespace {

TEST(Predict, IsWhatTheLinesAllow) {
  const Question question = small_question("1gbit,0");
  const Forecast forecast = predict(question, {4, 8});
  const double copy = 25e6 / (125e6 * kPayloadShare);
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

// Packing moves fewer bytes, wherever the line is the limit, and nothing else.
TEST(Predict, KnowsPacking) {
  Question question = small_question("1gbit,0");
  question.choices.graphs = {"one-peer-exponential"};
  question.packing = true;
  const double line = 25e6 / (125e6 * kPayloadShare);
  const auto seconds = [&] {
    const Forecast forecast = predict(question, {8});
    return row(forecast, kOverlapped, "one-peer-exponential", 8).times.seconds;
  };
  EXPECT_NEAR(seconds(), std::max(0.19, net::kTypicallyPacked * line), 1e-3);
  EXPECT_TRUE(to_json(question).at("packing"));
  question.link = parse_link("200mbit,0");
  EXPECT_NEAR(seconds(), 5 * net::kTypicallyPacked * line, 5e-3);
  // Rates are those of the links, and not of what they carry.
  EXPECT_DOUBLE_EQ(link_rate(question, 8), 25e6);
}

// Asynchronous workers do not wait for slow ones, nor for links that carry
// more than they ask for.
TEST(Predict, GossipTakesWhatItsWorkersTake) {
  Question question = small_question("10gbit,0");
  question.choices.algorithms = {"allreduce", "gossip"};
  question.slow = parse_slow("3:3");
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
      "--agreement gossip --graph ring --continuous-momentum");
}

// Gossip whose links carry less than it asks for is given the time that they
// take, however slow they are.
TEST(Predict, GossipOverSlowLinksTakesWhatTheyTake) {
  Question question;
  question.costs.compute = sim::uniform_compute(
      0.003,
      0.007,
      0,
      sim::even_buckets(100 * kMegabyte, kMegabyte));
  question.choices = {.algorithms = {"gossip"}, .graphs = {"complete"}};
  for (const double mbit : {1000.0, 100.0, 1.0, 0.01}) {
    question.link = parse_link(fmt::format("{}mbit,0", mbit));
    const double copy = 100e6 / (mbit * 125e3 * kPayloadShare);
    const Forecast forecast = predict(question, {2, 64});
    // Two that have nobody else lose nothing to others' pairs.
    const Prediction& two = row(forecast, "gossip", "complete", 2);
    EXPECT_NEAR(two.times.seconds, two.copies * copy, 0.03 * copy) << mbit;
    EXPECT_NEAR(two.copies, 1, 0.1);
    EXPECT_NEAR(two.times.compute, 0.01, 1e-9);
    EXPECT_NEAR(two.times.exposed, two.times.seconds - 0.01, 1e-6);
    const Prediction& many = row(forecast, "gossip", "complete", 64);
    EXPECT_GT(many.times.seconds, 0.9 * copy) << mbit;
    EXPECT_LT(many.times.seconds, 1.2 * copy) << mbit;
  }
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
  // Parameters and gradients.
  const auto& tracking =
      row(forecast, "gradient-tracking", "one-peer-exponential", 8);
  EXPECT_EQ(tracking.copies, 2);
  EXPECT_EQ(tracking.messages, 2 * pairs.messages);
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

// However many threads look for it.
TEST(Predict, TheAnswerIsThatOfOneThread) {
  Question question = small_question("1gbit,0");
  question.slow = parse_slow("random:0.1:2");
  const auto text = [&](int threads) {
    question.threads = threads;
    return to_json(predict(question, {8})).dump();
  };
  EXPECT_EQ(text(1), text(4));
}

TEST(Predict, MissingLinksAndWorkersAreRefused) {
  Question question = small_question("1gbit,0");
  question.link.reset();
  question.workers_per_node = 1;
  EXPECT_THROW(predict(question, {4}), ConfigError);
  question = small_question("1gbit,0");
  question.slow = parse_slow("7:2");
  EXPECT_THROW(predict(question, {4}), ConfigError);
}

TEST(Predict, ASlowLinkIsCounted) {
  const auto seconds = [](const std::string& link) {
    Question question = small_question(link);
    question.choices.algorithms = {"adapt-then-combine"};
    question.choices.graphs = {"ring"};
    const Forecast forecast = predict(question, {4});
    return row(forecast, "adapt-then-combine", "ring", 4).times.seconds;
  };
  // The ring goes at the pace of the one link: a tenth of what both
  // neighbours' copies have to share elsewhere.
  const double line = 25e6 / (12.5e6 * kPayloadShare);
  EXPECT_NEAR(seconds("1gbit,0.1ms;2-3:100mbit"), line, 0.15 * line);
  EXPECT_LT(seconds("1gbit,0.1ms"), 0.3 * line);
  EXPECT_EQ(seconds("1gbit,0.1ms;2-3:1gbit"), seconds("1gbit,0.1ms"));
  EXPECT_THROW(seconds("1gbit;2-4:1gbit"), ConfigError);
}

TEST(Predict, StragglersAreCounted) {
  Question question = small_question("unlimited,0");
  question.slow = parse_slow("random:0.1:2");
  question.steps = 400;
  const Forecast forecast = predict(question, {8});
  const auto& central = row(forecast, "allreduce", "complete", 8);
  const auto& pairs = row(forecast, kOverlapped, "one-peer-exponential", 8);
  EXPECT_GT(central.times.straggler, 0.07);
  EXPECT_LT(pairs.times.straggler, central.times.straggler / 2);
  EXPECT_NEAR(central.times.exposed, 0, 1e-6);
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
} // namespace grapevine::sim
