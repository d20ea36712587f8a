#include "algo/agreement.h"
#include "algo/rules.h"
#include "cli/program_runner.h"
#include "data/source.h"
#include "graph/schedule.h"
#include "spec/spec_table.h"

#include <cmath>
#include <set>

namespace grapevine::cli {
namespace {

using nlohmann::json;

json json_of(const std::vector<std::string>& words) {
  const Answer answer = grapevine(words);
  EXPECT_EQ(answer.exit_code, 0) << answer.error;
  return json::parse(answer.out);
}

std::set<std::string> keys_of(const json& object) {
  std::set<std::string> keys;
  for (const auto& item : object.items())
    keys.insert(item.key());
  return keys;
}

TEST(Help, MentionsEveryVerb) {
  const Answer answer = grapevine({"--help"});
  EXPECT_EQ(answer.exit_code, 0);
  for (const char* verb :
       {"bench",
        "train",
        "report",
        "plan",
        "graph",
        "launch",
        "data",
        "models",
        "eval",
        "export"}) {
    EXPECT_TRUE(contains(answer.out, verb)) << verb;
    EXPECT_EQ(grapevine({verb, "--help"}).exit_code, 0) << verb;
  }
}

TEST(Help, MentionsEveryKeyPresetAgreementOptimizerAndGraph) {
  for (const char* verb : {"train", "bench"}) {
    const std::string help = grapevine({verb, "--help"}).out;
    for (const spec::SpecEntry& entry : spec::spec_table()) {
      EXPECT_TRUE(contains(help, spec::flag_of(entry.key))) << entry.key;
    }
    for (const spec::Preset& preset : spec::preset_table()) {
      EXPECT_TRUE(contains(help, preset.name)) << preset.name;
    }
    for (const algo::Agreement& agreement : algo::agreement_table()) {
      EXPECT_TRUE(contains(help, agreement.name)) << agreement.name;
      EXPECT_TRUE(contains(help, agreement.summary)) << agreement.name;
    }
    for (const auto& optimizer : algo::optimizer_table()) {
      EXPECT_TRUE(contains(help, optimizer.name)) << optimizer.name;
    }
    for (const graph::GraphEntry& graph : graph::graph_table()) {
      EXPECT_TRUE(contains(help, graph.name)) << graph.name;
    }
  }
}

TEST(Version, IsOneLine) {
  const Answer answer = grapevine({"--version"});
  EXPECT_EQ(answer.exit_code, 0);
  EXPECT_TRUE(answer.out.starts_with("grapevine "));
}

TEST(GraphVerb, JsonNames) {
  const json ring = json_of({"graph", "ring", "-n", "8", "--json"});
  EXPECT_EQ(
      keys_of(ring),
      (std::set<std::string>{
          "name",
          "n",
          "degree",
          "second_eigenvalue",
          "spectral_gap",
          "chi1",
          "chi2",
          "eta",
          "alpha_tilde",
          "plan",
          "messages_per_step",
          "model_copies_per_step",
          "node_copies_per_step"}));
  EXPECT_EQ(ring["name"], "ring");
  EXPECT_EQ(ring["n"], 8);
  EXPECT_EQ(ring["degree"], 2);
  EXPECT_EQ(ring["messages_per_step"], 2);
  EXPECT_EQ(ring["model_copies_per_step"], 2);
  // 1/3 + 2/3 cos(2 pi / 8)
  EXPECT_NEAR(ring["second_eigenvalue"].get<double>(), 0.8047378541, 1e-9);
}

TEST(GraphVerb, EveryGraphAnswers) {
  const Scratch scratch;
  const std::string edges = scratch.write("edges", "0 1\n1 2\n2 3\n3 0\n");
  for (const graph::GraphEntry& entry : graph::graph_table()) {
    std::vector<std::string> words = {"graph", entry.name, "-n", "4", "--json"};
    if (entry.name.ends_with("edges")) {
      words.insert(words.end(), {"--edges", edges});
    }
    const json facts = json_of(words);
    EXPECT_EQ(facts["name"], entry.name);
    EXPECT_TRUE(facts["degree"].is_number()) << entry.name;
  }
}

TEST(GraphVerb, DirectedEdgesThatNeedWeights) {
  const Scratch scratch;
  const std::string edges = scratch.write("edges", "0 1\n1 2\n2 0\n0 2\n");
  const json facts = json_of(
      {"graph", "directed-edges", "-n", "3", "--edges", edges, "--json"});
  EXPECT_EQ(facts["messages_per_step"], 2);
  // Of A, with the columns (1/3, 1/3, 1/3), (0, 1/2, 1/2), (1/2, 0, 1/2): its
  // characteristic polynomial is (x - 1)(x^2 - x/3 + 1/12).
  EXPECT_NEAR(
      facts["second_eigenvalue"].get<double>(),
      std::sqrt(1.0 / 12),
      1e-9);
}

TEST(GraphVerb, OneEpochOfAda) {
  const std::vector<std::string> ada =
      {"graph", "ada", "-n", "16", "--epochs", "5", "--json"};
  EXPECT_EQ(json_of(ada)["degree"], 15);
  std::vector<std::string> last = ada;
  last.insert(last.end(), {"--epoch", "4"});
  EXPECT_EQ(json_of(last)["degree"], 2);
}

TEST(GraphVerb, DrawsAFile) {
  const Scratch scratch;
  const std::string file = scratch.file("ring.svg");
  EXPECT_EQ(grapevine({"graph", "ring", "--svg", file}).exit_code, 0);
  EXPECT_TRUE(contains(read_text(file), "<svg"));
}

TEST(ModelsVerb, JsonNames) {
  const json models = json_of({"models", "--json"});
  ASSERT_TRUE(models.is_array());
  std::set<std::string> names;
  for (const json& model : models) {
    EXPECT_EQ(
        keys_of(model),
        (std::set<std::string>{"name", "parameters", "task"}));
    EXPECT_GT(model["parameters"].get<int64_t>(), 0);
    names.insert(model["name"].get<std::string>());
    if (model["name"] == "resnet20") {
      EXPECT_EQ(model["parameters"], 269722);
    }
  }
  EXPECT_TRUE(names.count("mlp"));
}

TEST(DataVerb, ListsEverySet) {
  const json sets = json_of({"data", "list", "--json"});
  ASSERT_EQ(sets.size(), data::data_table().size());
  for (size_t i = 0; i < sets.size(); ++i) {
    EXPECT_EQ(sets[i]["name"], data::data_table()[i].name);
  }
}

TEST(DataVerb, LearnsAVocabulary) {
  const Scratch scratch;
  const std::string text = scratch.write("a.txt", "abab abab");
  const std::string file = scratch.file("v.bpe");
  const json answer = json_of(
      {"data", "bpe", text, text, "--size", "257", "--out", file, "--json"});
  EXPECT_EQ(answer["vocabulary"], file);
  EXPECT_EQ(answer["size"], 257);
  EXPECT_EQ(answer["bytes"], 18);
  EXPECT_EQ(read_text(file), "grapevine-bpe 1\nmerges 1\n97 98\n");
}

TEST(BenchVerb, DryRunOfTheDefault) {
  const json plan = json_of(
      {"bench", "--dry-run", "--json", "--data", "synthetic", "--seed", "1"});
  EXPECT_EQ(plan["runs"].size(), 6u);
  EXPECT_GT(plan["runs"][0]["steps"].get<int64_t>(), 0);
}

} // namespace
} // namespace grapevine::cli
