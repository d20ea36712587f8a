// What there is to choose from, and how long it takes.
#include "net/wraps.h"
#include "sim/support.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

namespace grapevine::sim {
namespace {

Query asking(
    std::vector<std::string> algorithms,
    std::vector<std::string> graphs,
    const std::string& link = "1gbit,0") {
  Query query = small_query(link);
  query.algorithms = std::move(algorithms);
  query.graphs = std::move(graphs);
  return query;
}

TEST(Candidates, EachOnceAndAllReduceFirst) {
  const auto list = candidates({}, 8);
  ASSERT_FALSE(list.empty());
  EXPECT_TRUE(list[0].is_all_reduce());
  std::set<std::string> labels;
  for (const Prediction& it : list)
    EXPECT_TRUE(labels.insert(it.label()).second) << it.label();
  EXPECT_TRUE(labels.contains("combine-while-adapt, lattice, k = 4"));
  EXPECT_FALSE(labels.contains("combine-while-adapt, lattice, k = 8"));
  EXPECT_TRUE(labels.contains("adapt-then-combine, one-peer-exponential"));
}

TEST(Candidates, OnlyWhatWasAskedFor) {
  Query query = asking({"adapt-then-combine"}, {"lattice", "aer"});
  query.degrees = {2, 6};
  query.workers_per_node = 4;
  const auto list = candidates(query, 16);
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[1].label(), "adapt-then-combine, lattice, k = 6");
  EXPECT_EQ(
      list[2].flags(),
      "--agreement adapt-then-combine --graph aer --workers-per-node 4");
  // Push-sum if it makes a difference, or by its name.
  EXPECT_EQ(candidates(asking({}, {"ring"}), 16).size(), 5u);
  EXPECT_EQ(candidates(asking({}, {"one-peer-directed"}), 16).size(), 7u);
  EXPECT_EQ(
      candidates(asking({"push-sum"}, {"ring"}), 16)[0].label(),
      "push-sum, ring");
  EXPECT_THROW(check(asking({"allreduc"}, {})), ConfigError);
  EXPECT_THROW(check(asking({}, {"edges"})), ConfigError);
  query = asking({}, {"ring"});
  query.edges_file = "edges.txt";
  EXPECT_THROW(check(query), ConfigError);
}

TEST(Query, WorkersPerNodeIfNobodySays) {
  Query query;
  query.costs.nodes = 1;
  query.costs.workers_per_node = 8;
  EXPECT_EQ(query.workers_per_node_in(16), 16);
  query.link = LinkOptions{};
  EXPECT_EQ(query.workers_per_node_in(16), 1);
  query.costs.nodes = 2;
  EXPECT_EQ(query.workers_per_node_in(16), 8);
  query.link.reset();
  EXPECT_EQ(query.workers_per_node_in(16), 8);
}

TEST(Predict, IsWhatTheLinksAllow) {
  const auto rows = predict(small_query("1gbit,0"), {4, 8});
  const double copy = 25e6 / (125e6 * kPayloadShare);
  const auto seconds =
      [&](const std::string& algorithm, const std::string& graph, int n) {
        return row(rows, algorithm, graph, n).times.seconds;
      };
  EXPECT_NEAR(seconds(kOverlapped, "one-peer-exponential", 8), copy, 1e-3);
  EXPECT_NEAR(seconds(kOverlapped, "ring", 8), 2 * copy, 1e-3);
  EXPECT_NEAR(seconds(kOverlapped, "aer", 8), 0.19, 1e-3);
  // Forward, the first bucket's backward, and the bytes.
  EXPECT_NEAR(
      seconds("allreduce", "complete", 4),
      0.06 + 0.12 / 25 + 1.5 * copy + 0.01 / 25,
      1e-3);
  const double pairs = seconds("adapt-then-combine", "one-peer-exponential", 8);
  EXPECT_LE(pairs, 0.06 + 0.13 + copy);
  // The parameters, and then the gradients.
  EXPECT_NEAR(
      seconds("gradient-tracking", "one-peer-exponential", 8),
      pairs + copy,
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

// Packing moves fewer bytes, wherever the link is the limit, and nothing else.
TEST(Predict, KnowsPacking) {
  Query query = asking({}, {"one-peer-exponential"});
  query.packing = true;
  const double copy = 25e6 / (125e6 * kPayloadShare);
  const auto seconds = [&] {
    const auto rows = predict(query, {8});
    return row(rows, kOverlapped, "one-peer-exponential", 8).times.seconds;
  };
  EXPECT_NEAR(seconds(), std::max(0.19, net::kTypicallyPacked * copy), 1e-3);
  EXPECT_TRUE(to_json(query).at("packing"));
  query.link = parse_link("200mbit,0");
  EXPECT_NEAR(seconds(), 5 * net::kTypicallyPacked * copy, 5e-3);
  // Rates are those of the links, and not of what they carry.
  EXPECT_DOUBLE_EQ(link_rate(query, 8), 25e6);
}

// Asynchronous workers do not wait for slow ones, nor for links that carry
// more than they ask for.
TEST(Predict, GossipTakesWhatItsWorkersTake) {
  Query query = asking({"allreduce", "gossip"}, {}, "10gbit,0");
  query.slow = parse_slow("3:3");
  const auto rows = predict(query, {8});
  EXPECT_GT(row(rows, "allreduce", "complete", 8).times.seconds, 3 * 0.18);
  const double shared = 8 / (7 / 0.19 + 1 / (3 * 0.18 + 0.01));
  for (const Prediction& it : rows) {
    if (!it.is_asynchronous()) continue;
    EXPECT_NEAR(it.times.seconds, shared, 0.02 * shared) << it.label();
    EXPECT_NEAR(it.copies, 1, 0.1);
  }
  EXPECT_EQ(
      row(rows, "gossip", "ring", 8).flags(),
      "--agreement gossip --graph ring --continuous-momentum");
}

// Gossip whose links carry less than it asks for is given the time that they
// take, however slow they are.
TEST(Predict, GossipOverSlowLinksTakesWhatTheyTake) {
  Query query = asking({"gossip"}, {"complete"});
  query.steps = 200;
  query.costs.compute = uniform_compute(
      0.003,
      0.007,
      0,
      even_buckets(100 * kMegabyte, kMegabyte));
  for (const double mbit : {1000.0, 100.0, 1.0, 0.01}) {
    query.link = parse_link(fmt::format("{}mbit,0", mbit));
    const double copy = 100e6 / (mbit * 125e3 * kPayloadShare);
    const auto rows = predict(query, {2, 64});
    // Two that have nobody else lose nothing to others' pairs.
    const Prediction& two = row(rows, "gossip", "complete", 2);
    EXPECT_NEAR(two.times.seconds, two.copies * copy, 0.03 * copy) << mbit;
    EXPECT_NEAR(two.copies, 1, 0.1);
    EXPECT_NEAR(two.times.compute, 0.01, 1e-9);
    EXPECT_NEAR(two.times.exposed, two.times.seconds - 0.01, 1e-6);
    const Prediction& many = row(rows, "gossip", "complete", 64);
    EXPECT_GT(many.times.seconds, 0.9 * copy) << mbit;
    EXPECT_LT(many.times.seconds, 1.2 * copy) << mbit;
  }
}

TEST(Predict, GossipAtOtherRates) {
  Query query = asking({"gossip"}, {"ring"});
  const auto at = [&](double rate) {
    query.rate = rate;
    return predict(query, {8}).at(0);
  };
  const Prediction one = at(1);
  const Prediction two = at(2);
  EXPECT_NEAR(two.copies, 2 * one.copies, 0.1);
  EXPECT_NEAR(two.times.seconds, 2 * one.times.seconds, 0.2);
  EXPECT_NEAR(two.steps_to_agree, one.steps_to_agree / 2, 1e-9);
  EXPECT_EQ(
      two.flags(),
      "--agreement gossip --graph ring --continuous-momentum --rate 2");
  // Links that carry it all: a tenth of the averagings cost nothing.
  EXPECT_NEAR(at(0.1).times.seconds, 0.19, 0.01);
  EXPECT_NEAR(at(0.1).copies, 0.1, 0.02);
}

TEST(Predict, PartsAddUpAndMixingIsTold) {
  const auto rows = predict(small_query("1gbit,1ms"), {8});
  for (const Prediction& it : rows) {
    EXPECT_NEAR(
        it.times.compute + it.times.exposed + it.times.straggler,
        it.times.seconds,
        1e-3)
        << it.label();
    EXPECT_NEAR(it.times.compute, 0.19, 1e-9) << it.label();
    EXPECT_EQ(it.steps_to_agree == 0, it.is_all_reduce());
  }
  const auto& pairs = row(rows, kOverlapped, "one-peer-exponential", 8);
  EXPECT_EQ(pairs.steps_to_agree, 3); // the period averages exactly
  EXPECT_EQ(pairs.copies, 1);
  EXPECT_EQ(pairs.plan, "groups");
  // Parameters and gradients.
  const auto& both = row(rows, "gradient-tracking", "one-peer-exponential", 8);
  EXPECT_EQ(both.copies, 2);
  EXPECT_EQ(both.messages, 2 * pairs.messages);
  EXPECT_NEAR(
      row(rows, kOverlapped, "ring", 8).steps_to_agree,
      std::log(10) / -std::log((1 + std::sqrt(2)) / 3),
      1e-6);
}

TEST(Predict, WhatNDoesNotAllowIsNamed) {
  const auto all = predict(asking({}, {"hypercube", "ring"}), {6});
  ASSERT_EQ(all.size(), 9u);
  EXPECT_TRUE(all[4].impossible.empty());
  EXPECT_EQ(all[5].graph.name, "hypercube");
  EXPECT_FALSE(all[5].impossible.empty());
}

// However many threads look for it.
TEST(Predict, TheAnswerIsThatOfOneThread) {
  Query query = small_query("1gbit,0");
  query.slow = parse_slow("random:0.1:2");
  const auto text = [&](int threads) {
    query.threads = threads;
    return to_json(predict(query, {8})).dump();
  };
  EXPECT_EQ(text(1), text(4));
}

TEST(Predict, MissingLinksAndWorkersAreRefused) {
  Query query = small_query("1gbit,0");
  query.link.reset();
  query.workers_per_node = 1;
  EXPECT_THROW(predict(query, {4}), ConfigError);
  query = small_query("1gbit,0");
  query.slow = parse_slow("7:2");
  EXPECT_THROW(predict(query, {4}), ConfigError);
}

TEST(Predict, ASlowLinkIsCounted) {
  const auto seconds = [](const std::string& link) {
    const Query query = asking({"adapt-then-combine"}, {"ring"}, link);
    return predict(query, {4}).at(0).times.seconds;
  };
  // The ring goes at the pace of the one link: a tenth of what both
  // neighbours' copies have to share elsewhere.
  const double copy = 25e6 / (12.5e6 * kPayloadShare);
  EXPECT_NEAR(seconds("1gbit,0.1ms;2-3:100mbit"), copy, 0.15 * copy);
  EXPECT_LT(seconds("1gbit,0.1ms"), 0.3 * copy);
  EXPECT_EQ(seconds("1gbit,0.1ms;2-3:1gbit"), seconds("1gbit,0.1ms"));
  EXPECT_THROW(seconds("1gbit;2-4:1gbit"), ConfigError);
}

TEST(Predict, StragglersAreCounted) {
  Query query = small_query("unlimited,0");
  query.slow = parse_slow("random:0.1:2");
  query.steps = 400;
  const auto rows = predict(query, {8});
  const auto& central = row(rows, "allreduce", "complete", 8);
  const auto& pairs = row(rows, kOverlapped, "one-peer-exponential", 8);
  EXPECT_GT(central.times.straggler, 0.07);
  EXPECT_LT(pairs.times.straggler, central.times.straggler / 2);
  EXPECT_NEAR(central.times.exposed, 0, 1e-6);
}

class Edges {
 public:
  explicit Edges(const std::string& text)
      : file_(::testing::TempDir() + "gv-planner-edges.txt") {
    std::ofstream(file_) << text;
  }
  ~Edges() { std::filesystem::remove(file_); }
  const std::string& file() const { return file_; }

 private:
  std::string file_;
};

// A ring by another name costs what a ring costs.
TEST(Predict, EdgeLists) {
  const Edges edges("0 1\n1 2\n2 3\n3 0\n");
  Query query = asking({}, {"ring", "edges", "directed-edges"});
  query.edges_file = edges.file();
  const auto rows = predict(query, {4, 8});
  for (const char* algorithm :
       {"adapt-then-combine", "combine-while-adapt", "gradient-tracking"}) {
    const Prediction& ring = row(rows, algorithm, "ring", 4);
    const Prediction& own = row(rows, algorithm, "edges", 4);
    EXPECT_NEAR(own.times.seconds, ring.times.seconds, 1e-9) << algorithm;
    EXPECT_NEAR(own.steps_to_agree, ring.steps_to_agree, 1e-6) << algorithm;
  }
  EXPECT_EQ(
      row(rows, "gossip", "edges", 4).flags(),
      "--agreement gossip --graph edges --continuous-momentum --edges " +
          edges.file());
  EXPECT_GT(row(rows, "push-sum", "directed-edges", 4).times.seconds, 0.19);
  // Beside the others, if none are named.
  query.graphs = {};
  EXPECT_NO_THROW(row(predict(query, {4}), "gossip", "edges", 4));
}

TEST(Predict, DirectedEdgesWithWeightsAreForPushSum) {
  const Edges edges("0 1\n1 2\n2 0\n0 2\n");
  Query query = asking({}, {"directed-edges"});
  query.edges_file = edges.file();
  const auto rows = predict(query, {3});
  EXPECT_NO_THROW(row(rows, "push-sum", "directed-edges", 3));
  EXPECT_THROW(row(rows, "adapt-then-combine", "directed-edges", 3), Error);
}

// Between its first graph and its last.
TEST(Predict, AdaIsTheMeanOfItsGraphs) {
  Query query = asking(
      {"adapt-then-combine", "gossip"},
      {"ada", "complete", "lattice", "ring"});
  query.degrees = {8};
  const auto rows = predict(query, {16});
  const auto of = [&](const std::string& graph) {
    return row(rows, "adapt-then-combine", graph, 16);
  };
  const auto seconds = [&](const char* graph) {
    return of(graph).times.seconds;
  };
  EXPECT_GT(seconds("ada"), std::min(seconds("ring"), seconds("complete")));
  EXPECT_LT(seconds("ada"), seconds("lattice"));
  EXPECT_EQ(of("ada").steps_to_agree, of("ring").steps_to_agree);
  EXPECT_THROW(row(rows, "gossip", "ada", 16), Error);
}

TEST(PlanJson, HasTheNamesThatScriptsRelyOn) {
  const Query query = small_query("1gbit,0");
  const auto json = to_json(predict(query, {4}));
  for (const char* key :
       {"algorithm",
        "graph",
        "k",
        "n",
        "label",
        "flags",
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
  EXPECT_EQ(to_json(query).at("link"), "1gbit");
}

} // namespace
} // namespace grapevine::sim
