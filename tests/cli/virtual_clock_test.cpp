// virtual_seconds: what the runs of a virtual cluster would have taken.
#include "cli/program_runner.h"

#include "base/link_options.h"

#include <cmath>
#include <map>

namespace grapevine::cli {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

// An MLP of 470 kB, 8 steps of 4 workers.
Words train(const std::string& out, const Words& more) {
  Words words = {"train", "--data",       "synthetic", "--synthetic-samples",
                 "256",   "--batch",      "8",         "-n",
                 "4",     "--epochs",     "1",         "--threads",
                 "1",     "--eval-every", "0",         "--eval-samples",
                 "10",    "--out",        out,         "--json"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

json result_of(const Words& words) {
  const Answer answer = grapevine(words);
  EXPECT_EQ(answer.exit_code, 0) << answer.error;
  return json::parse(answer.out);
}

double seconds_of(const Scratch& scratch, const Words& more) {
  Words words = more;
  words.push_back("--fresh");
  const json result = result_of(train(scratch.file("run"), words));
  return result.at("virtual_seconds").get<double>();
}

TEST(VirtualClock, CountsComputeAndLinks) {
  const Scratch scratch;
  EXPECT_EQ(
      result_of(train(scratch.file("none"), {})).at("virtual_seconds"),
      nullptr);
  // Without a limit, only compute counts.
  EXPECT_NEAR(seconds_of(scratch, {"--compute", "12ms"}), 8 * 12e-3, 1e-9);
  // One message of the plane to each neighbour, behind the computing.
  const double slow = seconds_of(
      scratch,
      {"--compute", "4ms,8ms", "--link", "10mbit,0", "--graph", "ring"});
  const double plane = 4 * 118282 / (1.25e6 * kPayloadShare);
  EXPECT_NEAR(slow, 8 * (12e-3 + 2 * plane), 0.02 * slow);
  // A slow worker holds up everybody.
  EXPECT_NEAR(
      seconds_of(
          scratch,
          {"--compute", "12ms", "--slow", "2:3", "--preset", "c-complete"}),
      8 * 36e-3,
      1e-9);
}

TEST(VirtualClock, ChangesNothingElse) {
  const Scratch scratch;
  const json without = result_of(train(scratch.file("a"), {}));
  const json with = result_of(train(scratch.file("b"), {"--compute", "12ms"}));
  EXPECT_EQ(without.at("parameters_sha256"), with.at("parameters_sha256"));
}

TEST(VirtualClock, IsTheSameOverProcesses) {
  const Scratch scratch;
  const Words more = {
      "--compute",
      "4ms,8ms,1ms",
      "--link",
      "100mbit,1ms",
      "--slow",
      "random:0.3:2",
      "--graph",
      "one-peer-exponential",
      "--agreement",
      "combine-while-adapt"};
  const double whole = seconds_of(scratch, more);
  Words launched = {"launch", "-n", "4", "--"};
  for (const std::string& word : train(scratch.file("processes"), more))
    launched.push_back(word);
  EXPECT_EQ(result_of(launched).at("virtual_seconds").get<double>(), whole);
}

TEST(VirtualClock, StandsInTheRecords) {
  const Scratch scratch;
  result_of(train(scratch.file("run"), {"--compute", "12ms"}));
  std::ifstream records(scratch.file("run/records/process-0.jsonl"));
  int steps = 0;
  for (std::string line; std::getline(records, line);) {
    const json record = json::parse(line);
    if (record.at("type") != "step") continue;
    ++steps;
    EXPECT_NEAR(
        record.at("virtual_seconds").get<double>(),
        12e-3 * steps,
        1e-9);
  }
  EXPECT_EQ(steps, 8);
}

json blame_of(const std::string& run) {
  const json report = result_of({"report", run, "--no-html", "--json"});
  EXPECT_EQ(report.at("blame").size(), 1);
  return report.at("blame").front();
}

TEST(VirtualClock, NamesTheStraggler) {
  const Scratch scratch;
  const std::string run = scratch.file("run");
  const json result = result_of(train(
      run,
      {"--compute",
       "20ms",
       "--link",
       "1gbit,0.1ms",
       "--slow",
       "3:2.0",
       "--graph",
       "ring"}));
  const json blame = blame_of(run);
  EXPECT_EQ(blame.at("virtual"), true);
  EXPECT_NEAR(
      blame.at("seconds").get<double>(),
      result.at("virtual_seconds").get<double>(),
      1e-6);
  EXPECT_EQ(blame.at("straggler").at("worker"), 3);
  EXPECT_NEAR(blame.at("straggler").at("compute_ratio").get<double>(), 2, 1e-6);
  // 8 steps; the other three wait 20 ms in each.
  EXPECT_NEAR(
      blame.at("straggler").at("cost_seconds").get<double>(),
      8 * 20e-3 * 3 / 4,
      0.4 * 8 * 20e-3);
  EXPECT_EQ(blame.at("slowest_link"), nullptr);
  // Everybody at the mean of 25 ms would have taken so much less.
  EXPECT_NEAR(blame.at("straggler_seconds").get<double>(), 8 * 15e-3, 1e-3);
}

TEST(VirtualClock, IsThatOfTheTimeline) {
  const Scratch scratch;
  const std::string run = scratch.file("run");
  result_of(train(
      run,
      {"--compute",
       "30ms",
       "--slow",
       "2:3",
       "--trace-every",
       "1",
       "--graph",
       "ring"}));
  const Answer answer = grapevine(
      {"report", run, "--no-html", "--trace", scratch.file("trace.json")});
  ASSERT_EQ(answer.exit_code, 0) << answer.error;
  std::ifstream file(scratch.file("trace.json"));
  const json trace = json::parse(file);
  std::map<std::string, int64_t> spent; // microseconds of worker 1
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("ph") != "X" || event.at("pid") != 1) continue;
    spent[event.at("name").get<std::string>()] += event.at("dur").get<int>();
    if (event.at("name") != "wait") continue;
    EXPECT_EQ(event.at("args").at("peer"), 2);
  }
  // 8 steps of 30 ms, each of which waits for one of 90.
  EXPECT_NEAR(spent["forward"], 8 * 10'000, 10);
  EXPECT_NEAR(spent["backward"], 8 * 20'000, 10);
  EXPECT_NEAR(spent["wait"], 8 * 60'000, 10);
}

TEST(VirtualClock, CostsMustBeOfTheModelAndBatch) {
  const Scratch scratch;
  const std::string costs = scratch.file("costs.json");
  const Answer measured = grapevine(
      {"plan",
       "measure",
       "--data",
       "synthetic",
       "--batch",
       "8",
       "--seconds",
       "0.5",
       "--out",
       costs});
  ASSERT_EQ(measured.exit_code, 0) << measured.error;
  EXPECT_GT(seconds_of(scratch, {"--costs", costs, "--link", "1gbit,1ms"}), 0);
  const auto refused = [&](const Words& more, const std::string& message) {
    const Answer answer = grapevine(train(scratch.file("refused"), more));
    EXPECT_EQ(answer.exit_code, 2);
    EXPECT_TRUE(contains(answer.error, message)) << answer.error;
  };
  refused(
      {"--costs", costs, "--link", "1gbit", "--batch", "16"},
      "a batch of 8, not of 16");
  refused(
      {"--costs", costs, "--link", "1gbit", "--model", "cnn"},
      "has the costs of mlp");
}

} // namespace
} // namespace grapevine::cli
