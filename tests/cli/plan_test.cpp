#include "cli/plan_question.h"
#include "cli/program_runner.h"

#include "base/error.h"
#include "runtime/costs.h"

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

TEST(Plan, RecommendsInSentences) {
  const Answer answer = grapevine(
      plan("recommend", {"-n", "8", "--graphs", "ring,aer", "--json"}));
  EXPECT_EQ(answer.exit_code, 0) << answer.error;
  const json it = json::parse(answer.out).at("recommendations").at(0);
  EXPECT_EQ(it.at("use").at("graph"), "aer");
  EXPECT_GE(it.at("regimes").size(), 2u);
  EXPECT_FALSE(it.at("sentences").empty());
}

TEST(Plan, WritesAPage) {
  const Scratch scratch;
  const std::string page = scratch.file("plan.html");
  const Answer answer = grapevine(
      plan("predict", {"-n", "4", "--graphs", "ring", "--html", page}));
  EXPECT_EQ(answer.exit_code, 0) << answer.error;
  EXPECT_TRUE(contains(read_text(page), "\"recommendations\":"));
}

TEST(Plan, MeasuresAloneAndUnderALauncher) {
  const Scratch scratch;
  const std::string file = scratch.file("costs.json");
  const Words measure = {
      "plan",
      "measure",
      "--data",
      "synthetic",
      "--model",
      "mlp",
      "--batch",
      "8",
      "--seconds",
      "1",
      "--out",
      file,
      "--json"};
  const Answer alone = grapevine(measure);
  ASSERT_EQ(alone.exit_code, 0) << alone.error;
  EXPECT_EQ(json::parse(alone.out).at("between"), nullptr);
  runtime::Costs costs = runtime::read_costs(file);
  EXPECT_EQ(costs.compute.workers.size(), 1u);
  EXPECT_EQ(costs.compute.batch, 8);
  EXPECT_EQ(costs.compute.bucket_bytes.size(), 6u); // the MLP's tensors
  EXPECT_FALSE(costs.inside || costs.between);
  EXPECT_EQ(
      grapevine({"plan", "predict", "--costs", file, "-n", "4"}).exit_code,
      2);

  Words words = {"launch", "-n", "3", "--"};
  words.insert(words.end(), measure.begin(), measure.end());
  const Answer launched = grapevine(words);
  ASSERT_EQ(launched.exit_code, 0) << launched.error;
  costs = runtime::read_costs(file);
  EXPECT_EQ(costs.compute.workers.size(), 3u);
  EXPECT_EQ(costs.nodes, 1);
  EXPECT_EQ(costs.workers_per_node, 3);
  ASSERT_TRUE(costs.inside);
  EXPECT_GT(costs.inside->bandwidth, 1e6);
  const Answer predicted =
      grapevine({"plan", "predict", "--costs", file, "-n", "2,4", "--json"});
  EXPECT_EQ(predicted.exit_code, 0) << predicted.error;
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
  expect_refusal(plan("predict", {"-n", "4", "--slow", "7:2"}), "no worker 7");
}

} // namespace
} // namespace grapevine::cli
