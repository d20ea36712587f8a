// Directories that are not as they should be.
#include "report/load.h"
#include "record/run_lock.h"
#include "record/temporary_directory.h"
#include "report/run_generator.h"

#include <sys/stat.h>

#include <optional>

namespace grapevine::report {
namespace {

namespace fs = std::filesystem;
using record::put;
using record::TemporaryDirectory;
using report::RunGenerator;

class LoadTest : public testing::Test {
 protected:
  fs::path good(const std::string& name, uint64_t seed = 1) const {
    RunGenerator(directory_ / name, {.seed = seed}).write();
    return directory_ / name;
  }
  RunSet load() const { return load_runs(std::vector{directory_.path()}); }

  // The reason for which this one was skipped; empty if it was not.
  static std::string why(const RunSet& set, const std::string& name) {
    for (const Skipped& skipped : set.skipped) {
      if (fs::path(skipped.path).filename() == name) return skipped.why;
    }
    return "";
  }
  static bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  TemporaryDirectory directory_;
};

TEST_F(LoadTest, BrokenOnesAreNamedAndTheOthersRead) {
  good("good");
  fs::remove(good("no-run") / "run.json");
  fs::remove(good("no-spec") / "spec.toml");
  put(good("run-is-cut") / "run.json", "{\"format_version\": 1, \"outc");
  put(good("run-is-empty") / "run.json", "");
  put(good("run-is-a-list") / "run.json", "[1, 2]");
  put(good("other-version") / "run.json",
      "{\"format_version\": 2, \"outcome\": \"completed\"}");
  put(good("no-outcome") / "run.json", "{\"format_version\": 1}");
  put(good("odd-outcome") / "run.json",
      "{\"format_version\": 1, \"outcome\": \"splendid\"}");
  put(good("unknown-key") / "spec.toml", "warp-speed = 9\n");
  put(good("bad-toml") / "spec.toml", "n = = 3\n");
  put(good("bad-value") / "spec.toml", "n = \"many\"\n");
  put(good("records-of-the-future") / "records" / "process-0.jsonl",
      "{\"type\":\"format\",\"format_version\":7}\n");
  fs::remove(good("records-is-a-folder") / "records" / "process-0.jsonl");
  fs::create_directory(
      directory_ / "records-is-a-folder" / "records" / "process-0.jsonl");
  fs::create_directories(directory_ / "foreign" / "deep");
  put(directory_ / "foreign" / "deep" / "photo.jpg", "x");
  fs::create_directories(directory_ / "half" / "records");
  put(directory_ / "a-file", "x");

  const RunSet set = load();
  ASSERT_EQ(set.runs.size(), 1u);
  EXPECT_EQ(set.runs[0].name, "good");
  EXPECT_EQ(set.skipped.size(), 15u);
  EXPECT_EQ(why(set, "no-run"), "no run.json");
  EXPECT_EQ(why(set, "no-spec"), "no spec.toml");
  EXPECT_TRUE(has(why(set, "run-is-cut"), "not a valid JSON"));
  EXPECT_TRUE(has(why(set, "run-is-empty"), "not a valid JSON"));
  EXPECT_TRUE(has(why(set, "run-is-a-list"), "not a valid JSON"));
  EXPECT_TRUE(has(why(set, "other-version"), "format version 2"));
  EXPECT_TRUE(has(why(set, "no-outcome"), "outcome"));
  EXPECT_TRUE(has(why(set, "odd-outcome"), "outcome"));
  EXPECT_TRUE(has(why(set, "unknown-key"), "warp-speed"));
  EXPECT_TRUE(has(why(set, "bad-toml"), "spec.toml"));
  EXPECT_TRUE(has(why(set, "bad-value"), "many"));
  EXPECT_TRUE(has(why(set, "records-of-the-future"), "format version 7"));
  EXPECT_TRUE(has(why(set, "records-is-a-folder"), "read"));
  EXPECT_TRUE(has(why(set, "foreign"), "not a run"));
  EXPECT_TRUE(has(why(set, "half"), "not a run"));
}

TEST_F(LoadTest, OddResultsAreTakenAsTheyAre) {
  put(good("nulls") / "run.json",
      R"({"format_version":1,"outcome":"diverged","result":{"outcome":"diverged",
          "test_accuracy":null,"bytes":"many","steps":[1]}})");
  put(good("no-result") / "run.json",
      R"({"format_version":1,"outcome":"failed","error":"disk full"})");
  put(good("result-is-null") / "run.json",
      R"({"format_version":1,"outcome":"running","result":null})");
  const RunSet set = load();
  ASSERT_EQ(set.runs.size(), 3u);
  EXPECT_TRUE(set.skipped.empty());
  for (const RunData& run : set.runs) {
    EXPECT_FALSE(run.counts()) << run.name;
    EXPECT_TRUE(std::isnan(run.bytes_per_worker));
    if (run.name == "no-result") {
      EXPECT_EQ(run.error, "disk full");
    }
  }
}

TEST_F(LoadTest, ARunThatIsStillGoing) {
  RunGenerator(
      directory_ / "going",
      {.steps = 30, .steps_per_epoch = 20, .outcome = "running"})
      .write();
  std::ofstream(
      directory_ / "going" / "records" / "process-0.jsonl",
      std::ios::app)
      << "{\"type\":\"step\",\"step\":30,\"lo";
  std::optional<record::RunLock> lock(directory_ / "going");
  EXPECT_EQ(load().runs.at(0).outcome, "running");
  // And was killed.
  lock.reset();
  const RunSet set = load();
  ASSERT_EQ(set.runs.size(), 1u);
  EXPECT_EQ(set.runs[0].outcome, "interrupted");
  EXPECT_TRUE(set.runs[0].result.is_null());
  EXPECT_EQ(set.runs[0].steps, 30);
  EXPECT_EQ(set.runs[0].steps_per_epoch, 20);
  EXPECT_TRUE(set.notes.empty()) << set.notes[0]; // a cut end is no damage
}

// Nothing can be known of it from here.
TEST_F(LoadTest, ARunOfAnotherMachine) {
  put(good("far") / "run.json",
      R"({"format_version":1,"outcome":"running","machine":{"host":"-"}})");
  EXPECT_EQ(load().runs.at(0).outcome, "running");
}

TEST_F(LoadTest, BrokenLinesAreNoted) {
  const fs::path run = good("run");
  std::ofstream(run / "records" / "process-0.jsonl", std::ios::app)
      << "garbage\n{\"type\":\"st\n";
  const RunSet set = load();
  ASSERT_EQ(set.notes.size(), 1u);
  EXPECT_EQ(set.notes[0], "run: 2 broken lines in its records were left out.");
}

TEST_F(LoadTest, RunsAreFoundAtAnyDepthAndOnce) {
  good("a/b/c/deep");
  good("flat", 2);
  fs::create_directory_symlink(directory_ / "flat", directory_ / "link");
  fs::create_directory_symlink(directory_.path(), directory_ / "a" / "circle");
  const RunSet set = load_runs(std::vector<fs::path>{
      directory_.path(),
      directory_ / "flat",
      directory_ / "flat" / ""});
  EXPECT_EQ(set.runs.size(), 2u);
  EXPECT_TRUE(set.skipped.empty());
}

TEST_F(LoadTest, NothingThere) {
  const RunSet set = load_runs(
      std::vector<fs::path>{directory_.path(), directory_ / "absent"});
  EXPECT_TRUE(set.runs.empty());
  ASSERT_EQ(set.skipped.size(), 2u);
  EXPECT_EQ(set.skipped[0].why, "no run in this directory");
  EXPECT_EQ(set.skipped[1].why, "no such directory");
  EXPECT_TRUE(load_runs({}).runs.empty());
}

TEST_F(LoadTest, FirstSeedsHaveDetail) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    for (const std::string preset : {"d-ring", "ada"}) {
      RunGenerator(
          directory_ / (preset + std::to_string(seed)),
          {.preset = preset, .seed = seed})
          .write();
    }
  }
  const RunSet set = load();
  ASSERT_EQ(set.runs.size(), 6u);
  for (const RunData& run : set.runs)
    EXPECT_EQ(run.detail.has_value(), run.spec.seed == 1) << run.name;
}

TEST(BudgetTest, HoldsItsSizeWhateverTheNumberOfRuns) {
  for (const int runs : {1, 10, 99, 100, 300, 1000, 3000, 20000}) {
    const Budget budget = make_budget(runs, std::min(runs, 50), 4);
    EXPECT_GE(budget.points, 12);
    EXPECT_GE(budget.runs_with_curves, 1);
    EXPECT_LE(budget.runs_with_curves, runs);
    EXPECT_GE(budget.runs_with_detail, 1);
    const double numbers =
        50.0 * budget.points * budget.runs_with_curves +
        static_cast<double>(budget.runs_with_detail) *
            static_cast<double>(
                budget.numbers_of_heat + budget.numbers_of_norms);
    EXPECT_LE(
        numbers * (budget.digits == 4 ? 7.2 : 8.5),
        1.05 * kPageDataBytes);
  }
  EXPECT_EQ(make_budget(0, 0, 4).runs_with_detail, 1);
}

} // namespace
} // namespace grapevine::report
