// The sweep as people start it: estimates, side by side, interrupted and
// taken up again, with failures and with somebody else in the same directory.
#include "cli/program_runner.h"
#include "record/run_lock.h"
#include "system/process.h"

#include <future>
#include <optional>
#include <set>

namespace grapevine::cli {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

constexpr const char* kTinyBase =
    "data = \"synthetic\"\nsynthetic-samples = 96\nn = 4\nbatch = 4\n"
    "epochs = 2\neval-samples = 16\nprobe-every = 2\n";

json bench(const Words& words, int exit_code = 0) {
  Words all = {"bench", "--json", "--quiet"};
  all.insert(all.end(), words.begin(), words.end());
  const Answer answer = grapevine(all);
  EXPECT_EQ(answer.exit_code, exit_code) << answer.error;
  return json::parse(answer.out, nullptr, false);
}

std::vector<std::string> states(const json& plan) {
  std::vector<std::string> list;
  for (const json& run : plan["runs"])
    list.push_back(run["state"]);
  return list;
}

int attempts(const json& run) {
  const std::filesystem::path directory = run["run"].get<std::string>();
  return json::parse(read_text(directory / "run.json"))["attempts"];
}

TEST(Bench, SideBySideGivesTheSameBits) {
  const Scratch scratch;
  const std::string spec = scratch.write(
      "all.toml",
      std::string(kTinyBase) +
          "[[runs]]\nmodel = \"mlp\"\n[[runs]]\nmodel = \"cnn\"\n"
          "[matrix]\n"
          "preset = [\"c-complete\", \"d-complete\", \"ada\", "
          "\"d-exponential\", \"d-torus\", \"d-ring\"]\n");
  const auto run = [&](const std::string& jobs) {
    return bench({spec, "--jobs", jobs, "--out", scratch.file(jobs)})["runs"];
  };
  const json alone = run("1");
  const json beside = run("3");
  ASSERT_EQ(alone.size(), 12u);
  ASSERT_EQ(beside.size(), 12u);
  for (size_t i = 0; i < alone.size(); ++i) {
    for (const char* key :
         {"preset",
          "model",
          "parameters_sha256",
          "train_loss",
          "test_accuracy",
          "averaged_model_accuracy",
          "consensus_distance",
          "messages",
          "bytes",
          "steps",
          "first_gini"}) {
      EXPECT_EQ(alone[i].at(key), beside[i].at(key)) << i << " " << key;
    }
  }
}

TEST(Bench, DryRunSaysWhatIsNeededAndWritesNothing) {
  const Scratch scratch;
  const std::string spec = scratch.write(
      "some.toml",
      std::string(kTinyBase) + "[matrix]\nseed = [1, 2]\nn = [2, 8]\n");
  const json plan = bench({spec, "--dry-run", "--out", scratch.file("out")});
  EXPECT_FALSE(std::filesystem::exists(scratch.file("out")));
  ASSERT_EQ(plan["runs"].size(), 4u);
  EXPECT_EQ(states(plan), std::vector<std::string>(4, "to do"));
  EXPECT_EQ(plan["to_do"], 4);
  EXPECT_GE(plan["jobs"].get<int>(), 1);
  EXPECT_GT(plan["estimated_seconds"].get<double>(), 0);
  for (const json& run : plan["runs"]) {
    EXPECT_GT(run["estimated_seconds"].get<double>(), 0);
    EXPECT_GT(run["memory_bytes"].get<int64_t>(), 0);
    EXPECT_GE(plan["memory_bytes"], run["memory_bytes"]);
    // 96 / (4 n) steps in each of 2 epochs.
    EXPECT_EQ(run["steps"], 2 * (96 / (4 * run["n"].get<int>())));
  }
  EXPECT_LT(
      plan["runs"][0]["memory_bytes"].get<int64_t>(),
      plan["runs"][1]["memory_bytes"].get<int64_t>());
}

TEST(Bench, DryRunAsText) {
  const Scratch scratch;
  const std::string spec = scratch.write(
      "some.toml",
      std::string(kTinyBase) + "[matrix]\nseed = [1, 2]\n");
  const Answer answer = grapevine({"bench", spec, "--dry-run"});
  EXPECT_EQ(answer.exit_code, 0) << answer.error;
  for (const char* part :
       {"2 runs in runs/some\n",
        "state",
        "to do",
        "memory",
        "time",
        "0 done before, 2 to do; "}) {
    EXPECT_TRUE(contains(answer.out, part)) << part << "\n" << answer.out;
  }
}

TEST(Bench, TheDirectoryIsNamedAfterTheFile) {
  EXPECT_EQ(
      bench({"--dry-run", "--data", "synthetic", "--seed", "1"})["directory"],
      "runs/fashion-mnist-96");
  const Scratch scratch;
  const std::string spec = scratch.write("my.sweep.toml", kTinyBase);
  EXPECT_EQ(bench({spec, "--dry-run"})["directory"], "runs/my.sweep");
}

TEST(Bench, AMatrixThatGrowsDoesOnlyWhatIsNew) {
  const Scratch scratch;
  const Words words = {scratch.file("grow.toml"), "--out", scratch.file("out")};
  Words look = words;
  look.emplace_back("--dry-run");
  const std::string base = kTinyBase;
  scratch.write("grow.toml", base + "[matrix]\nseed = [1, 3]\n");
  const json before = bench(words)["runs"];
  scratch.write("grow.toml", base + "[matrix]\nseed = [1, 2, 3]\n");
  EXPECT_EQ(
      states(bench(look)),
      (std::vector<std::string>{"done before", "to do", "done before"}));
  const json after = bench(words)["runs"];
  ASSERT_EQ(after.size(), 3u);
  EXPECT_EQ(after[0], before[0]);
  EXPECT_EQ(after[2], before[1]);
  for (const json& run : after)
    EXPECT_EQ(attempts(run), 1);
  const json plan = bench(look);
  EXPECT_EQ(plan["to_do"], 0);
  EXPECT_EQ(plan["estimated_seconds"], 0);
}

TEST(Bench, StoredResultsNeedNoData) {
  if (!std::filesystem::exists("/usr/share/datasets/fashion-mnist")) {
    GTEST_SKIP() << "dataset-fashion-mnist is not installed";
  }
  const Scratch scratch;
  const std::string spec = scratch.write(
      "real.toml",
      "n = 2\nsteps = 1\neval-samples = 10\n[matrix]\nseed = [1]\n");
  const Words words = {spec, "--out", scratch.file("out")};
  const json first = bench(words);
  Words elsewhere = words;
  elsewhere.insert(elsewhere.end(), {"--data-dir", scratch.file("nowhere")});
  EXPECT_EQ(bench(elsewhere), first);
}

TEST(Bench, DataThatIsNotThereIsSaidBeforeAnythingStarts) {
  const Scratch scratch;
  const std::string spec = scratch.write("x.toml", "[matrix]\nseed = [1, 2]\n");
  const Answer answer = grapevine(
      {"bench",
       spec,
       "--data-dir",
       scratch.file("nowhere"),
       "--out",
       scratch.file("out")});
  EXPECT_NE(answer.exit_code, 0);
  EXPECT_TRUE(contains(answer.error, "nowhere")) << answer.error;
  EXPECT_FALSE(std::filesystem::exists(scratch.file("out")));
}

TEST(Bench, AFailureIsOneResultOfMany) {
  const Scratch scratch;
  const std::string spec = scratch.write(
      "fail.toml",
      std::string(kTinyBase) + "[matrix]\nseed = [1, 2, 3]\n");
  const Words words = {spec, "--out", scratch.file("out")};
  Words look = words;
  look.emplace_back("--dry-run");
  const std::filesystem::path second =
      bench(look)["runs"][1]["run"].get<std::string>();
  std::filesystem::create_directories(second);
  std::ofstream(second / "letter.txt") << "not a run";
  const json runs = bench(words, 1)["runs"];
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[0]["outcome"], "completed");
  EXPECT_EQ(runs[1]["outcome"], "failed");
  EXPECT_TRUE(contains(runs[1]["error"], "not a run")) << runs[1];
  EXPECT_EQ(runs[2]["outcome"], "completed");
  std::filesystem::remove(second / "letter.txt");
  EXPECT_EQ(bench(words)["runs"][1]["outcome"], "completed");
}

TEST(Bench, WaitsForARunOfAnotherProcess) {
  const Scratch scratch;
  const std::string spec = scratch.write(
      "lock.toml",
      std::string(kTinyBase) + "[matrix]\nseed = [1, 2]\n");
  const Words words = {spec, "--out", scratch.file("out"), "--jobs", "1"};
  Words look = words;
  look.emplace_back("--dry-run");
  const json plan = bench(look);
  const std::filesystem::path first = plan["runs"][0]["run"];
  const std::filesystem::path second = plan["runs"][1]["run"];
  std::optional<record::RunLock> lock(first);
  auto answer = std::async(std::launch::async, [&] {
    Words all = {"bench", "--json"};
    all.insert(all.end(), words.begin(), words.end());
    return grapevine(all);
  });
  // When the second is at work, the first has been found locked.
  EXPECT_TRUE(system::wait_until(
      [&] { return std::filesystem::exists(second / "run.json"); }));
  lock.reset();
  const Answer done = answer.get();
  EXPECT_EQ(done.exit_code, 0) << done.error;
  EXPECT_TRUE(contains(done.error, "seed 1  another process is at work on it"))
      << done.error;
  const json runs = json::parse(done.out)["runs"];
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0]["outcome"], "completed");
}

TEST(Bench, AnInterruptedSweepGoesOn) {
  const Scratch scratch;
  const std::string spec = scratch.write(
      "long.toml",
      "data = \"synthetic\"\nn = 4\nbatch = 8\nepochs = 6\n"
      "checkpoint-every = 60\n[matrix]\nseed = [1, 2, 3]\n");
  const auto words = [&](const std::string& out) {
    return Words{spec, "--out", scratch.file(out), "--jobs", "2"};
  };
  Words all = {"bench", "--json"};
  const Words more = words("out");
  all.insert(all.end(), more.begin(), more.end());
  system::Process process(system::alone(all));
  const auto has_checkpoint = [&] {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(
             scratch.file("out"),
             ignored)) {
      if (entry.path().filename() == "manifest.json") return true;
    }
    return false;
  };
  ASSERT_TRUE(system::wait_until(has_checkpoint));
  process.signal(SIGINT);
  const Answer stopped = process.wait();
  EXPECT_EQ(stopped.exit_code, 1) << stopped.error;
  EXPECT_TRUE(contains(stopped.error, "run the same command")) << stopped.error;
  EXPECT_LT(json::parse(stopped.out)["runs"].size(), 3u);

  Words look = more;
  look.emplace_back("--dry-run");
  const json plan = bench(look);
  EXPECT_TRUE(contains(plan.dump(), "to resume")) << plan;
  const json resumed = bench(more)["runs"];
  const json unbroken = bench(words("unbroken"))["runs"];
  ASSERT_EQ(resumed.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(
        resumed[i]["parameters_sha256"],
        unbroken[i]["parameters_sha256"]);
  }
}

TEST(Bench, RefusesBadJobs) {
  for (const char* jobs : {"-1", "many", "5000", ""}) {
    const Answer answer = grapevine({"bench", "--jobs", jobs, "--dry-run"});
    EXPECT_EQ(answer.exit_code, 2) << jobs;
    EXPECT_TRUE(contains(answer.error, "--jobs")) << answer.error;
  }
}

} // namespace
} // namespace grapevine::cli
