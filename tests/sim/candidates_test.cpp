// What there is to choose from, and graphs that are not in the usual list.
#include "sim/predict_support.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

namespace grapevine::sim {
namespace {

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
  EXPECT_THROW(check({.graphs = {"edges"}}), ConfigError);
  EXPECT_THROW(
      check({.graphs = {"ring"}, .edges_file = "edges.txt"}),
      ConfigError);
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
  Question question = small_question("1gbit,0");
  question.choices = {
      .graphs = {"ring", "edges", "directed-edges"},
      .edges_file = edges.file()};
  const Forecast forecast = predict(question, {4, 8});
  for (const char* algorithm :
       {"adapt-then-combine", "combine-while-adapt", "gradient-tracking"}) {
    const Prediction& ring = row(forecast, algorithm, "ring", 4);
    const Prediction& own = row(forecast, algorithm, "edges", 4);
    EXPECT_NEAR(own.times.seconds, ring.times.seconds, 1e-9) << algorithm;
    EXPECT_NEAR(own.steps_to_agree, ring.steps_to_agree, 1e-6) << algorithm;
  }
  EXPECT_EQ(
      row(forecast, "gossip", "edges", 4).candidate.flags(),
      "--agreement gossip --graph edges --continuous-momentum --edges " +
          edges.file());
  EXPECT_GT(row(forecast, "push-sum", "directed-edges", 4).times.seconds, 0.19);
  // Beside the others, where none are named.
  question.choices.graphs = {};
  EXPECT_NO_THROW(row(predict(question, {4}), "gossip", "edges", 4));
}

TEST(Predict, DirectedEdgesWithWeightsAreForPushSum) {
  const Edges edges("0 1\n1 2\n2 0\n0 2\n");
  Question question = small_question("1gbit,0");
  question.choices = {.graphs = {"directed-edges"}, .edges_file = edges.file()};
  const Forecast forecast = predict(question, {3});
  EXPECT_NO_THROW(row(forecast, "push-sum", "directed-edges", 3));
  EXPECT_THROW(row(forecast, "adapt-then-combine", "directed-edges", 3), Error);
}

// Between its first graph and its last.
TEST(Predict, AdaIsTheMeanOfItsGraphs) {
  Question question = small_question("1gbit,0");
  question.choices = {
      .algorithms = {"adapt-then-combine", "gossip"},
      .graphs = {"ada", "complete", "lattice", "ring"},
      .degrees = {8}};
  const Forecast forecast = predict(question, {16});
  const auto seconds = [&](const std::string& graph) {
    return row(forecast, "adapt-then-combine", graph, 16).times.seconds;
  };
  EXPECT_GT(seconds("ada"), std::min(seconds("ring"), seconds("complete")));
  EXPECT_LT(seconds("ada"), seconds("lattice"));
  EXPECT_EQ(
      row(forecast, "adapt-then-combine", "ada", 16).steps_to_agree,
      row(forecast, "adapt-then-combine", "ring", 16).steps_to_agree);
  EXPECT_THROW(row(forecast, "gossip", "ada", 16), Error);
}

TEST(Predict, GossipAtOtherRates) {
  Question question = small_question("1gbit,0");
  question.choices = {.algorithms = {"gossip"}, .graphs = {"ring"}};
  const auto at = [&](double rate) {
    question.choices.rate = rate;
    return predict(question, {8}).rows.at(0);
  };
  const Prediction one = at(1);
  const Prediction two = at(2);
  EXPECT_NEAR(two.copies, 2 * one.copies, 0.1);
  EXPECT_NEAR(two.times.seconds, 2 * one.times.seconds, 0.2);
  EXPECT_NEAR(two.steps_to_agree, one.steps_to_agree / 2, 1e-9);
  EXPECT_EQ(
      two.candidate.flags(),
      "--agreement gossip --graph ring --continuous-momentum --rate 2");
  // Links that carry it all: a tenth of the averagings cost nothing.
  EXPECT_NEAR(at(0.1).times.seconds, 0.19, 0.01);
  EXPECT_NEAR(at(0.1).copies, 0.1, 0.02);
}

} // namespace
} // namespace grapevine::sim
