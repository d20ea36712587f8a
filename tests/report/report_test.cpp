// Whole reports of directories that were made up.
#include "report/report.h"
#include "base/error.h"
#include "record/temporary_directory.h"
#include "report/csv.h"
#include "report/page.h"
#include "report/run_generator.h"

#include <nlohmann/json.hpp>

#include <set>

namespace grapevine::report {
namespace {

using nlohmann::json;
using record::TemporaryDirectory;

std::set<std::string> keys_of(const json& object) {
  std::set<std::string> keys;
  for (const auto& item : object.items())
    keys.insert(item.key());
  return keys;
}

// Every column that is there is as long as the curve's steps.
void expect_equal_columns(const json& curve, size_t length) {
  for (const auto& [key, value] : curve.items()) {
    if (value.is_array()) {
      EXPECT_EQ(value.size(), length) << key;
    } else if (value.is_object()) {
      expect_equal_columns(value, length);
    }
  }
}

// Every series of the schema is where its path says, with its band, unless its
// table is absent.
void expect_curves_of_the_schema(const json& run, const json& schema) {
  ASSERT_EQ(schema["tables"].size(), record::series_tables().size());
  for (const json& table : schema["tables"]) {
    for (const json& series : table["series"]) {
      if (series["optional"]) continue;
      const json* at = &run;
      for (const std::string key : series["path"]) {
        if (at->is_null()) break;
        ASSERT_TRUE(at->contains(key)) << series["path"];
        at = &at->at(key);
      }
      if (at->is_null()) continue;
      EXPECT_EQ(at->is_object(), series["band"].get<bool>()) << series;
      if (at->is_object()) {
        EXPECT_EQ(keys_of(*at), (std::set<std::string>{"mean", "low", "high"}));
      }
    }
  }
  for (const json& axis : schema["axes"]) {
    const std::string name = axis["name"];
    EXPECT_TRUE(run["steps"].contains(name)) << name;
  }
}

class ReportTest : public testing::Test {
 protected:
  void generate() const {
    int rank = 0;
    for (const std::string preset :
         {"c-complete", "d-complete", "ada", "d-torus", "d-ring"}) {
      for (uint64_t seed = 1; seed <= 3; ++seed) {
        RunGenerator(
            directory_ / (preset + "-" + std::to_string(seed)),
            {.preset = preset,
             .seed = seed,
             .accuracy = 0.85 - 0.01 * rank,
             .spread = 1e-4 * (rank + 1)})
            .write();
      }
      ++rank;
    }
  }
  ReportResult report(const ReportOptions& options = {}) const {
    return write_report({directory_.path()}, options);
  }

  TemporaryDirectory directory_;
};

TEST_F(ReportTest, DataIsAsAgreed) {
  generate();
  record::put(directory_ / "d-ring-1" / "run.json", "{");
  ReportResult result = report({.title = "T", .program = "grapevine 9"});
  const json data = json::parse(page_data(result.data));
  EXPECT_EQ(
      keys_of(data),
      (std::set<std::string>{
          "format_version",
          "title",
          "created",
          "program",
          "skipped",
          "notes",
          "metrics",
          "schema",
          "keys",
          "common",
          "groups",
          "runs",
          "graphs",
          "analysis"}));
  EXPECT_EQ(data["format_version"], 1);
  EXPECT_EQ(data["title"], "T");
  EXPECT_EQ(data["program"], "grapevine 9");
  EXPECT_EQ(data["created"].get<std::string>().size(), 20u);
  EXPECT_EQ(data["skipped"].size(), 1u);
  EXPECT_EQ(data["keys"], json({"preset", "seed"}));
  EXPECT_EQ(data["runs"].size(), 14u);
  EXPECT_EQ(data["groups"].size(), 5u);
  EXPECT_EQ(data["graphs"].size(), 5u);
  for (size_t id = 0; id < 14; ++id) {
    const json& run = data["runs"][id];
    EXPECT_EQ(run["id"], id);
    std::set<std::string> keys = {
        "id",
        "name",
        "path",
        "label",
        "group",
        "outcome",
        "error",
        "spec",
        "n",
        "seed",
        "mean_degree",
        "result",
        "dispersion",
        "spans",
        "blame",
        "gossip",
        "detail"};
    for (const record::SeriesTable& table : record::series_tables())
      keys.insert(table.path.front());
    EXPECT_EQ(keys_of(run), keys);
    expect_curves_of_the_schema(run, data["schema"]);
    const json& members = data["groups"][run["group"].get<int>()]["runs"];
    EXPECT_EQ(std::count(members.begin(), members.end(), id), 1);
    for (const char* curve : {"steps", "evaluations", "probes"}) {
      ASSERT_GT(run[curve]["step"].size(), 0u);
      expect_equal_columns(run[curve], run[curve]["step"].size());
    }
    EXPECT_EQ(run["steps"]["step"].back(), 99);
    EXPECT_EQ(run["steps"]["epoch"].back(), 5);
    EXPECT_EQ(run["steps"]["bytes"].back(), 200000);
    EXPECT_EQ(run["evaluations"]["step"].size(), 5u);
    EXPECT_EQ(run["spans"]["backward"], 12.5);
    EXPECT_TRUE(run["density"].is_null());
  }
  EXPECT_TRUE(data["runs"][0]["detail"].is_object());
  EXPECT_EQ(data["runs"][0]["detail"]["norms"].size(), 4u);
  EXPECT_EQ(
      keys_of(data["analysis"]),
      (std::set<std::string>{
          "target",
          "rankings",
          "correlations",
          "comparisons",
          "findings"}));
  EXPECT_EQ(data["analysis"]["rankings"][0]["rows"].size(), 5u);
  EXPECT_GT(data["analysis"]["findings"].size(), 2u);
}

TEST_F(ReportTest, OneRun) {
  RunGenerator(directory_ / "only", {}).write();
  const ReportResult result = write_report({directory_ / "only"}, {});
  const json data = json::parse(page_data(result.data));
  EXPECT_EQ(data["title"], "only");
  EXPECT_EQ(data["keys"], json::array());
  EXPECT_EQ(data["runs"].size(), 1u);
  EXPECT_TRUE(data["runs"][0]["detail"].is_object());
  EXPECT_EQ(data["analysis"]["findings"], json::array());
  EXPECT_TRUE(data["groups"][0]["accuracy"]["sd"].is_null());
}

TEST_F(ReportTest, AsynchronousRuns) {
  RunGenerator(directory_ / "ring", {}).write();
  RunGenerator(directory_ / "gossip", {.preset = "ad-psgd", .n = 2}).write();
  const auto file = directory_ / "gossip" / "records" / "process-0.jsonl";
  const json line = {
      {"type", "gossip"},
      {"step", 99},
      {"gradients", {150, 50}},
      {"averagings", {75, 75}},
      {"staleness", {150, 75}},
      {"staleness_most", {4, 1}},
      {"wait_seconds", {7.5, 7.5}},
      {"wait_most", {0.5, 0.25}},
      {"pair_seconds", {15, 15}},
      {"held_seconds", {0, 0}}};
  record::put(file, record::get(file) + line.dump() + "\n");
  const ReportResult result = report({.csv = directory_ / "csv"});
  const json data = json::parse(page_data(result.data));
  ASSERT_EQ(data["runs"].size(), 2u);
  for (const json& run : data["runs"]) {
    EXPECT_EQ(run["gossip"].is_object(), run["name"] == "gossip");
    if (run["name"] != "gossip") continue;
    const json& gossip = run["gossip"];
    EXPECT_EQ(gossip["workers"]["gradients"], json({150, 50}));
    EXPECT_EQ(gossip["workers"]["rate"], json({0.5, 1.5}));
    EXPECT_EQ(gossip["workers"]["lost"], json({0, 0}));
    EXPECT_EQ(gossip["all"]["wait_seconds"], 0.1);
    EXPECT_EQ(gossip["all"]["staleness"], 1.5);
    EXPECT_EQ(gossip["has_clock"], false);
    EXPECT_TRUE(gossip["members"].is_null());
    EXPECT_EQ(gossip["curves"]["step"], json({99}));
    EXPECT_EQ(gossip["curves"]["rate"], json({0.75}));
    ASSERT_EQ(gossip["sentences"].size(), 2u);
    const std::string slow = gossip["sentences"][0];
    EXPECT_NE(slow.find("worker 1 (0.50)"), std::string::npos) << slow;
    const std::string rare = gossip["sentences"][1];
    EXPECT_NE(rare.find("averaged 0.75 times"), std::string::npos) << rare;
  }
  const std::string csv = record::get(directory_ / "csv" / "workers.csv");
  EXPECT_NE(csv.find("\r\ngossip,"), std::string::npos);
  EXPECT_NE(
      csv.find(",1,50,75,1.5,1,0.1,0.25,0.2,1,1,0,0,0,\r\n"),
      std::string::npos)
      << csv;
  const std::string curves = record::get(directory_ / "csv" / "gossip.csv");
  EXPECT_NE(curves.find("virtual_seconds,rate,staleness,"), std::string::npos)
      << curves;
  EXPECT_FALSE(std::filesystem::exists(directory_ / "csv" / "density.csv"));
}

// Optional series are there if a run has recorded them.
TEST_F(ReportTest, OptionalSeries) {
  RunGenerator(directory_ / "images", {}).write();
  RunGenerator(directory_ / "words", {.seed = 2}).write();
  const auto file = directory_ / "words" / "records" / "process-0.jsonl";
  const json line = {
      {"type", "evaluation"},
      {"step", 99},
      {"test_perplexity", {20, 30}}};
  record::put(file, record::get(file) + line.dump() + "\n");
  const ReportResult result = report({.csv = directory_ / "csv"});
  for (const json& run : json::parse(page_data(result.data))["runs"]) {
    const json& evaluations = run["evaluations"];
    EXPECT_EQ(evaluations.contains("perplexity"), run["name"] == "words");
    EXPECT_FALSE(evaluations.contains("top5"));
    if (run["name"] != "words") continue;
    EXPECT_EQ(evaluations["perplexity"]["mean"].back(), 25);
  }
  const std::string csv = record::get(directory_ / "csv" / "evaluations.csv");
  const std::string header = csv.substr(0, csv.find('\r'));
  EXPECT_TRUE(header.ends_with(
      "train_loss,perplexity_mean,perplexity_low,perplexity_high"))
      << header;
}

// Old runs recorded less: what is missing is null, and no error.
TEST_F(ReportTest, OldRecords) {
  RunGenerator(directory_ / "old", {}).write();
  const auto file = directory_ / "old" / "records" / "process-0.jsonl";
  std::istringstream lines(record::get(file));
  std::string old;
  for (std::string line; std::getline(lines, line);) {
    json value = json::parse(line);
    for (const char* key : {"gradient_norm", "update_ratio", "gradient_norms"})
      value.erase(key);
    if (value["type"] == "step") value.erase("seconds");
    old += value.dump() + "\n";
  }
  record::put(file, old);
  const json data = json::parse(page_data(report().data));
  const json& run = data["runs"][0];
  EXPECT_TRUE(run["steps"]["seconds"].is_null());
  EXPECT_TRUE(run["probes"]["gradient_norm"].is_null());
  EXPECT_TRUE(run["probes"]["metrics"]["gini"].is_object());
  EXPECT_FALSE(run["detail"]["heat"].contains("update_ratio"));
}

TEST_F(ReportTest, NothingToReport) {
  const ReportResult result = report({.html = directory_ / "page.html"});
  EXPECT_TRUE(result.data.set.runs.empty());
  EXPECT_FALSE(result.page);
  EXPECT_FALSE(std::filesystem::exists(directory_ / "page.html"));
}

TEST_F(ReportTest, TargetMustBeAnAccuracy) {
  for (const double target : {0.0, -1.0, 1.5, 85.0})
    EXPECT_THROW(report({.target = target}), ConfigError) << target;
}

TEST_F(ReportTest, PageIsWrittenWhereThereIsOne) {
  RunGenerator(directory_ / "run", {}).write();
  const auto file = directory_ / "page.html";
  if (!has_page()) {
    EXPECT_THROW(report({.html = file}), ConfigError);
    return;
  }
  EXPECT_EQ(report({.html = file}).page, file);
  const std::string page = record::get(file);
  EXPECT_NE(page.find("\"format_version\":1"), std::string::npos);
  EXPECT_EQ(page.find("__GRAPEVINE_DATA__"), std::string::npos);
}

TEST_F(ReportTest, CsvHasARowForEverything) {
  generate();
  const ReportResult result = report({.csv = directory_ / "csv" / "deep"});
  const auto rows = [&](const std::string& name) {
    const std::string text = record::get(directory_ / "csv" / "deep" / name);
    size_t commas = 0;
    size_t rows = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line); ++rows) {
      EXPECT_EQ(line.back(), '\r');
      const size_t here = std::ranges::count(line, ',');
      if (rows == 0) commas = here;
      EXPECT_EQ(here, commas) << name << ": " << line;
    }
    return rows;
  };
  EXPECT_EQ(rows("runs.csv"), 1u + 15);
  EXPECT_EQ(rows("evaluations.csv"), 1u + 15 * 5);
  EXPECT_EQ(rows("steps.csv"), 1u + 15 * 100);
  EXPECT_EQ(rows("probes.csv"), 1u + 15 * 10);
}

TEST_F(ReportTest, CsvQuotesWhatNeedsIt) {
  RunGenerator(directory_ / "a \"name\", odd", {}).write();
  const std::string text = runs_csv(report().data);
  EXPECT_NE(text.find("\"a \"\"name\"\", odd\","), std::string::npos) << text;
}

// The large one in short; big_report measures it in full.
TEST_F(ReportTest, ManyRunsStaySmall) {
  constexpr int kRuns = 150;
  for (int i = 0; i < kRuns; ++i) {
    RunGenerator(
        directory_ / std::to_string(i),
        {.preset = i % 2 == 0 ? "d-ring" : "ada",
         .n = 4,
         .seed = static_cast<uint64_t>(i),
         .steps = 400})
        .write();
  }
  const ReportResult result = report();
  EXPECT_EQ(result.data.set.runs.size(), size_t{kRuns});
  const std::string data = page_data(result.data);
  EXPECT_LE(data.size(), size_t{report::kPageDataBytes});
  EXPECT_TRUE(json::accept(data));
  EXPECT_FALSE(result.data.set.notes.empty());
}

} // namespace
} // namespace grapevine::report
