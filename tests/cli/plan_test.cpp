#include "cli/plan_query.h"
#include "cli/program_runner.h"

#include "base/error.h"

#include <iterator>
#include <sstream>

namespace grapevine::cli {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

const Words kQuestion = {
    "--compute",
    "60ms,120ms,10ms",
    "--model-bytes",
    "25MB",
    "--link",
    "1gbit,1ms"};

Words plan(const std::string& action, Words more) {
  Words words = {"plan", action};
  words.insert(words.end(), kQuestion.begin(), kQuestion.end());
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(PlanFlags, Counts) {
  EXPECT_EQ(parse_counts("2..4,16, 8,3"), (std::vector<int>{2, 3, 4, 8, 16}));
  EXPECT_THROW(parse_counts("4..2"), ConfigError);
  EXPECT_THROW(parse_counts("two"), ConfigError);
  EXPECT_THROW(parse_counts(""), ConfigError);
  EXPECT_EQ(parse_words("ring, aer,"), (Words{"ring", "aer"}));
}

TEST(Plan, PredictsAsATableAndAsJson) {
  const Answer table = grapevine(plan("predict", {"-n", "4,8"}));
  EXPECT_EQ(table.exit_code, 0) << table.error;
  for (const char* part :
       {"25.0 MB", "4 workers", "8 workers", "exposed", "one-peer-ring"}) {
    EXPECT_TRUE(contains(table.out, part)) << part;
  }
  const Answer answer = grapevine(plan("predict", {"-n", "8", "--json"}));
  EXPECT_EQ(answer.exit_code, 0) << answer.error;
  const json document = json::parse(answer.out);
  EXPECT_EQ(document.at("question").at("link"), "1gbit,1ms");
  EXPECT_GT(document.at("rows").size(), 10u);
  for (const json& row : document.at("rows")) {
    EXPECT_GE(row.at("seconds").get<double>(), 0.189);
    EXPECT_NEAR(row.at("compute").get<double>(), 0.19, 1e-6);
  }
}

Words split_at_spaces(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

// What is advised for eight workers can be run, and sends what was predicted.
void expect_all_can_be_trained(const Words& question, size_t least) {
  const Scratch scratch;
  constexpr int kSteps = 12; // whole periods
  Words words = {"-n", "8", "--steps", "1", "--json"};
  words.insert(words.end(), question.begin(), question.end());
  const Answer answer = grapevine(plan("predict", words));
  ASSERT_EQ(answer.exit_code, 0) << answer.error;
  const json rows = json::parse(answer.out).at("rows");
  EXPECT_GE(rows.size(), least);
  for (const json& row : rows) {
    const std::string flags = row.at("flags");
    words = split_at_spaces(
        "train --data synthetic --synthetic-samples 1024 --eval-samples 1 "
        "--probe-every 0 --checkpoint-every -1 --batch 1 -n 8 --steps " +
        std::to_string(kSteps) + " --fresh --json " + flags);
    words.insert(words.end(), {"--out", scratch.file("run")});
    const Answer trained = grapevine(words);
    ASSERT_EQ(trained.exit_code, 0) << flags << "\n" << trained.error;
    // Chance decides in gossip, and Ada's graph is another in every epoch. Half
    // of aer's workers are silent in a step, where the largest counts.
    const bool is_fixed = row.at("algorithm") != "gossip" &&
                          row.at("graph") != "ada" && row.at("graph") != "aer";
    if (!is_fixed) continue;
    EXPECT_NEAR(
        json::parse(trained.out).at("messages").get<double>(),
        8 * kSteps * row.at("messages_per_step").get<double>(),
        1e-6)
        << flags;
  }
}

TEST(Plan, EveryCandidateCanBeTrained) {
  expect_all_can_be_trained({}, 30);
}

TEST(Plan, CandidatesThatAreAskedForCanBeTrained) {
  const Scratch scratch;
  const std::string edges =
      scratch.write("edges.txt", "0 1\n1 2\n2 3\n3 4\n4 5\n5 6\n6 7\n7 0\n");
  expect_all_can_be_trained(
      {"--graphs",
       "ada,edges,directed-edges",
       "--edges",
       edges,
       "--rate",
       "0.5"},
      12);
}

TEST(Plan, SaysOfWhichAlgorithmAGraphIsNotPossible) {
  const Answer answer = grapevine(plan(
      "predict",
      {"-n", "6", "--graphs", "complete,aer,hypercube", "--mover", "rings"}));
  EXPECT_EQ(answer.exit_code, 0) << answer.error;
  EXPECT_TRUE(contains(answer.out, "not possible: gossip, complete with n = 6"))
      << answer.out;
  EXPECT_FALSE(contains(answer.out, "not possible: complete"));
  EXPECT_TRUE(contains(answer.out, "not possible: hypercube with n = 6"));
  EXPECT_FALSE(contains(answer.out, "inf"));
}

TEST(Plan, RecommendsInSentences) {
  const Answer answer = grapevine(
      plan("recommend", {"-n", "8", "--graphs", "ring,aer", "--json"}));
  EXPECT_EQ(answer.exit_code, 0) << answer.error;
  const json it = json::parse(answer.out).at("recommendations").at(0);
  EXPECT_EQ(it.at("use").at("graph"), "aer");
  EXPECT_GE(it.at("regimes").size(), 2u);
  EXPECT_FALSE(it.at("sentences").empty());
}

TEST(Plan, RecommendsForOneWorker) {
  const Answer answer =
      grapevine(plan("recommend", {"-n", "1", "--graphs", "ring"}));
  EXPECT_EQ(answer.exit_code, 0) << answer.error;
  EXPECT_TRUE(contains(answer.out, "\n1 worker, links of ")) << answer.out;
  EXPECT_FALSE(contains(answer.out, "unlimited")) << answer.out;
}

TEST(Plan, WritesAPage) {
  const Scratch scratch;
  const std::string page = scratch.file("plan.html");
  const Answer answer = grapevine(
      plan("predict", {"-n", "4", "--graphs", "ring", "--html", page}));
  EXPECT_EQ(answer.exit_code, 0) << answer.error;
  EXPECT_TRUE(contains(read_text(page), "\"recommendations\":"));
}

TEST(Plan, Refusals) {
  expect_refusal({"plan"}, "plan: say what (measure, predict or recommend)");
  expect_refusal({"plan", "guess"}, "unknown action 'guess'");
  expect_refusal({"plan", "predict"}, "say what a step costs: --costs FILE");
  expect_refusal(plan("predict", {"-n", "x"}), "-n: ");
  expect_refusal(plan("predict", {"--graphs", "rnig"}), "did you mean 'ring'");
  expect_refusal(
      plan("predict", {"--model", "mlp"}),
      "--model: not for plan predict");
  expect_refusal(
      {"plan", "measure", "--link", "1gbit"},
      "--link: not for plan measure");
  expect_refusal(
      {"plan",
       "predict",
       "--compute",
       "1",
       "--model-bytes",
       "1MB",
       "--link",
       "1gbit"},
      "--compute: expected the seconds of a step");
  expect_refusal(
      {"plan", "predict", "--compute", "1ms", "--model-bytes", "1MB"},
      "--link: say what joins the workers");
  expect_refusal(plan("predict", {"--mover", "ring"}), "unknown mover 'ring'");
  expect_refusal(plan("predict", {"--graphs", "edges"}), "give --edges FILE");
  expect_refusal(plan("predict", {"--rate", "0"}), "--rate: ");
  expect_refusal(plan("predict", {"--rate", "1e-9"}), "--rate: ");
  expect_refusal(plan("predict", {"--edges", "/no/such"}), "/no/such");
  expect_refusal(plan("predict", {"-n", "4", "--slow", "7:2"}), "no worker 7");
}

} // namespace
} // namespace grapevine::cli
