#include "cli/program_runner.h"
#include "cli/result_keys.h"

#include <algorithm>
#include <map>
#include <set>

namespace grapevine::cli {
namespace {

using nlohmann::json;

const std::vector<std::string> kTiny = {
    "--data",
    "synthetic",
    "--synthetic-samples",
    "64",
    "--batch",
    "8",
    "--epochs",
    "1",
    "--threads",
    "1"};

std::vector<std::string> tiny(
    std::vector<std::string> words,
    const std::vector<std::string>& more) {
  words.insert(words.end(), kTiny.begin(), kTiny.end());
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(TrainVerb, ResultAndItsRepetition) {
  const Scratch scratch;
  const auto words =
      tiny({"train"}, {"-n", "2", "--out", scratch.file("run"), "--json"});
  const Answer first = grapevine(words);
  ASSERT_EQ(first.exit_code, 0) << first.error;
  const json result = json::parse(first.out);
  EXPECT_EQ(keys_of(result), kResultKeys);
  EXPECT_EQ(result["outcome"], "completed");
  EXPECT_EQ(result["epochs"], 1);
  EXPECT_EQ(result["steps"], 4);
  EXPECT_EQ(result["parameters_sha256"].get<std::string>().size(), 64u);

  const Answer again = grapevine(words);
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_EQ(json::parse(again.out), result) << "the stored result";
  // Its own spec.toml is a spec of the same run.
  const Answer from_file = grapevine(
      {"train",
       scratch.file("run/spec.toml"),
       "--json",
       "--out",
       scratch.file("run")});
  EXPECT_EQ(json::parse(from_file.out), result);
}

TEST(TrainVerb, TextForPeople) {
  const Scratch scratch;
  const Answer answer = grapevine(
      tiny({"train"}, {"-n", "2", "--out", scratch.file("run"), "--quiet"}));
  EXPECT_EQ(answer.exit_code, 0) << answer.error;
  EXPECT_EQ(answer.error, "");
  EXPECT_TRUE(contains(answer.out, "completed"));
  EXPECT_TRUE(contains(answer.out, "test accuracy"));
}

TEST(TrainVerb, DivergenceIsAFailure) {
  const Scratch scratch;
  const Answer answer = grapevine(tiny(
      {"train"},
      {"-n", "2", "--lr", "1e30", "--out", scratch.file("run"), "--json"}));
  EXPECT_EQ(answer.exit_code, 1);
  EXPECT_EQ(json::parse(answer.out)["outcome"], "diverged");
}

TEST(TrainVerb, MissingDataIsTheWorldsFault) {
  const Scratch scratch;
  const Answer answer = grapevine(
      {"train",
       "--data",
       "cifar10",
       "--data-dir",
       scratch.path().string(),
       "--out",
       scratch.file("run"),
       "--json"});
  EXPECT_EQ(answer.exit_code, 1);
  EXPECT_EQ(answer.out, "");
  EXPECT_FALSE(std::filesystem::exists(scratch.file("run")));
}

TEST(EvalAndExport, OfAFinishedRun) {
  const Scratch scratch;
  const std::string run = scratch.file("run");
  const Answer trained =
      grapevine(tiny({"train"}, {"-n", "2", "--out", run, "--json"}));
  ASSERT_EQ(trained.exit_code, 0) << trained.error;
  const Answer evaluated = grapevine({"eval", run, "--json"});
  ASSERT_EQ(evaluated.exit_code, 0) << evaluated.error;
  EXPECT_EQ(
      json::parse(evaluated.out)["test_accuracy"],
      json::parse(trained.out)["test_accuracy"]);
  const std::string file = scratch.file("model.safetensors");
  const Answer exported = grapevine({"export", run, "-o", file, "--json"});
  ASSERT_EQ(exported.exit_code, 0) << exported.error;
  EXPECT_GT(json::parse(exported.out)["tensors"].get<int>(), 0);
  EXPECT_GT(std::filesystem::file_size(file), 1000u);
}

TEST(BenchVerb, RunsResumesAndReports) {
  const Scratch scratch;
  const std::string spec = scratch.write(
      "bench.toml",
      "n = 4\n[matrix]\npreset = [\"d-ring\", \"c-complete\"]\n"
      "seed = [1, 2]\nlr = [0.05, 1e30]\n");
  const auto words =
      tiny({"bench", spec}, {"--out", scratch.file("runs"), "--json"});
  const Answer first = grapevine(words);
  ASSERT_EQ(first.exit_code, 0) << first.error;
  const json result = json::parse(first.out);
  EXPECT_EQ(keys_of(result), (std::set<std::string>{"runs", "report"}));
  ASSERT_EQ(result["runs"].size(), 8u);
  int diverged = 0;
  for (const json& run : result["runs"]) {
    for (const std::string& key : kResultKeys)
      EXPECT_TRUE(run.contains(key));
    for (const char* key : {"preset", "graph", "n", "seed", "lr"}) {
      EXPECT_TRUE(run.contains(key)) << key;
    }
    diverged += run["outcome"] == "diverged";
  }
  EXPECT_EQ(diverged, 4);
  EXPECT_EQ(result["runs"][0]["preset"], "d-ring");
  EXPECT_EQ(result["runs"][0]["graph"], "ring");

  EXPECT_EQ(json::parse(grapevine(words).out), result) << "nothing done again";
  const Answer report = grapevine({"report", scratch.file("runs"), "--json"});
  EXPECT_EQ(json::parse(report.out)["runs"].size(), 8u);
}

TEST(LaunchVerb, WorkersOverGloo) {
  const Scratch scratch;
  const Answer real = grapevine(tiny(
      {"launch", "-n", "2", "--", "train"},
      {"--out", scratch.file("gloo"), "--deadline", "60", "--json"}));
  ASSERT_EQ(real.exit_code, 0) << real.error;
  const Answer virtual_run = grapevine(
      tiny({"train"}, {"-n", "2", "--out", scratch.file("virtual"), "--json"}));
  EXPECT_EQ(
      json::parse(real.out)["parameters_sha256"],
      json::parse(virtual_run.out)["parameters_sha256"]);
}

// Each of [begin, end) lies within the one around it.
bool is_nested(std::vector<std::pair<int64_t, int64_t>> spans) {
  std::ranges::sort(spans, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : a.second > b.second;
  });
  std::vector<int64_t> ends;
  for (const auto& [begin, end] : spans) {
    while (!ends.empty() && ends.back() <= begin)
      ends.pop_back();
    if (!ends.empty() && end > ends.back()) return false;
    ends.push_back(end);
  }
  return true;
}

TEST(LaunchVerb, WorkersSayWhatTheyDidAndWhomTheyWaitedFor) {
  const Scratch scratch;
  const Answer run = grapevine(tiny(
      {"launch", "-n", "2", "--", "train"},
      {"--agreement",
       "combine-while-adapt",
       "--graph",
       "ring",
       "--trace-every",
       "2",
       "--out",
       scratch.file("run"),
       "--deadline",
       "60"}));
  ASSERT_EQ(run.exit_code, 0) << run.error;
  const Answer report = grapevine(
      {"report",
       scratch.file("run"),
       "--no-html",
       "--trace",
       scratch.file("trace.json"),
       "--json"});
  ASSERT_EQ(report.exit_code, 0) << report.error;
  const json blame = json::parse(report.out).at("blame");
  ASSERT_EQ(blame.size(), 1u);
  const double seconds = blame.front().at("seconds");
  EXPECT_GT(seconds, 0);
  // A worker computes at most as long as the run takes.
  for (const double computed : blame.front().at("compute_seconds")) {
    EXPECT_GT(computed, 0);
    EXPECT_LE(computed, seconds);
  }

  const json trace = json::parse(read_text(scratch.file("trace.json")));
  std::map<std::pair<int, int>, std::vector<std::pair<int64_t, int64_t>>> spans;
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("ph") != "X") continue;
    const auto begin = event.at("ts").get<int64_t>();
    spans[{event.at("pid").get<int>(), event.at("tid").get<int>()}]
        .emplace_back(begin, begin + event.at("dur").get<int64_t>());
  }
  EXPECT_EQ(spans.size(), 4u) << "two threads of two workers";
  for (const auto& [thread, list] : spans)
    EXPECT_TRUE(is_nested(list)) << thread.first << " " << thread.second;
}

TEST(ReportVerb, TraceWithoutTimelines) {
  const Scratch scratch;
  const Answer run = grapevine(tiny(
      {"train"},
      {"-n", "2", "--trace-every", "0", "--out", scratch.file("run")}));
  ASSERT_EQ(run.exit_code, 0) << run.error;
  const Answer report = grapevine(
      {"report", scratch.file("run"), "--trace", scratch.file("trace.json")});
  EXPECT_EQ(report.exit_code, 1);
  EXPECT_TRUE(contains(report.error, "has no timelines to trace"));
  EXPECT_FALSE(std::filesystem::exists(scratch.file("trace.json")));
}

TEST(LaunchVerb, PassesTheExitCodeOn) {
  const Answer answer =
      grapevine({"launch", "-n", "2", "--", "train", "--lr", "fast"});
  EXPECT_EQ(answer.exit_code, 2);
  EXPECT_TRUE(contains(answer.error, "--lr: expected a number above 0"));
}

} // namespace
} // namespace grapevine::cli
