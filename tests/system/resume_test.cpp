// A run that was killed at any moment and is started again by the same command
// ends with the bits of one that was never disturbed.
#include "system/long_run.h"
#include "system/run_records.h"

namespace grapevine::system {
namespace {

enum class Place { kVirtual, kGloo, kMpi };

Words command_of(Place place, const std::string& out) {
  switch (place) {
    case Place::kVirtual:
      return alone(long_virtual_run(out));
    case Place::kGloo:
      return under_launch(kLongWorkers, long_run(out));
    case Place::kMpi:
      return under_mpirun(kLongWorkers, long_run(out));
  }
  return {};
}

// Starts the run and kills all its processes in the middle of it.
void start_and_kill(Place place, const std::string& out) {
  Process process(command_of(place, out));
  wait_for_random_moment(process, out);
  process.kill_tree();
  EXPECT_EQ(process.wait().exit_code, -1);
  EXPECT_TRUE(wait_until([] { return still_running().empty(); }));
}

cli::Answer run_to_the_end(Place place, const std::string& out) {
  Process process(command_of(place, out));
  return process.wait();
}

struct Case {
  std::string name;
  Place first;
  Place second;
};

class Resume : public ::testing::TestWithParam<Case> {};

TEST_P(Resume, AfterSigkill) {
  SCOPED_TRACE("GRAPEVINE_TEST_SEED=" + std::to_string(test_seed()));
  const cli::Scratch scratch;
  const std::string out = scratch.file("run");
  start_and_kill(GetParam().first, out);
  ASSERT_FALSE(checkpoint_steps(out).empty());
  const auto report =
      result_of(cli::grapevine({"report", out, "--json", "--no-html"}));
  EXPECT_EQ(report.at("runs").at(0).at("outcome"), "interrupted");
  expect_unbroken_result(run_to_the_end(GetParam().second, out));
  expect_resumed(out);
  EXPECT_EQ(temporary_files(out), Words{});
}

INSTANTIATE_TEST_SUITE_P(
    Transports,
    Resume,
    ::testing::Values(
        Case{"VirtualToVirtual", Place::kVirtual, Place::kVirtual},
        Case{"GlooToGloo", Place::kGloo, Place::kGloo},
        Case{"MpiToMpi", Place::kMpi, Place::kMpi},
        Case{"VirtualToGloo", Place::kVirtual, Place::kGloo},
        Case{"GlooToMpi", Place::kGloo, Place::kMpi},
        Case{"MpiToVirtual", Place::kMpi, Place::kVirtual}),
    [](const auto& info) { return info.param.name; });

// What is part of a checkpoint beside the parameters.
struct State {
  std::string name;
  std::string words;
};

class ResumedState : public ::testing::TestWithParam<State> {};

TEST_P(ResumedState, GoesOn) {
  SCOPED_TRACE("GRAPEVINE_TEST_SEED=" + std::to_string(test_seed()));
  const cli::Scratch scratch;
  Words more = split(GetParam().words);
  if (GetParam().name == "PushSumsWeights") {
    more = more + Words{
                      "--edges",
                      scratch.write("edges", "0 1\n1 2\n2 3\n3 0\n0 2\n0 3\n")};
  }
  const std::string whole = scratch.file("whole");
  const std::string broken = scratch.file("broken");
  const auto unbroken =
      result_of(cli::grapevine(long_virtual_run(whole) + more));
  Process process(alone(long_virtual_run(broken) + more));
  wait_for_random_moment(process, broken);
  process.kill_tree();
  process.wait();
  const auto resumed =
      result_of(cli::grapevine(long_virtual_run(broken) + more));
  expect_same_run(resumed, unbroken);
  expect_resumed(broken);
  EXPECT_EQ(resumed.at("virtual_seconds"), unbroken.at("virtual_seconds"));
  EXPECT_EQ(
      unbroken.at("virtual_seconds").is_null(),
      GetParam().name != "VirtualClock");
  if (GetParam().name != "AdasDegree") return;
  std::set<double> degrees;
  for (const Line& line : counted_lines(whole)) {
    if (line.record.at("type") == "step")
      degrees.insert(line.record.at("degree").get<double>());
  }
  EXPECT_GT(degrees.size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(
    States,
    ResumedState,
    ::testing::Values(
        // What Ada has found out about the replicas.
        State{"AdasDegree", "--preset ada-auto --ada-every 2 -n 8"},
        // Moments, and the gradients of a window that is not over.
        State{
            "AccumAdamsWindow",
            "--optimizer accumadam --lr 0.002 --window 7"},
        // What the trackers have ahead of the gradients.
        State{"GradientTrackers", "--agreement gradient-tracking"},
        // They follow from the step.
        State{"PushSumsWeights", "--agreement push-sum --graph directed-edges"},
        // Where every worker stands on it.
        State{
            "VirtualClock",
            "--agreement combine-while-adapt --compute 4ms,8ms,1ms "
            "--link 100mbit,1ms --slow random:0.3:2"}),
    [](const auto& info) { return info.param.name; });

TEST(Resume, KilledAgainAndAgain) {
  SCOPED_TRACE("GRAPEVINE_TEST_SEED=" + std::to_string(test_seed()));
  const cli::Scratch scratch;
  const std::string out = scratch.file("run");
  for (const int step : {3, 18, 33}) {
    Process process(alone(long_virtual_run(out)));
    wait_for_checkpoint(process, out, step);
    process.kill_tree();
    process.wait();
  }
  expect_unbroken_result(run_to_the_end(Place::kVirtual, out));
  expect_resumed(out, 33);
  expect_each_step_once(out, kLongSteps);
}

// Records reach the disk at the end of an epoch, a checkpoint much later.
TEST(Resume, RecordsBeforeTheFirstCheckpointCountOnce) {
  const cli::Scratch scratch;
  std::string out;
  Words words;
  // Who comes too late, when the run is over, tries another one.
  for (int i = 0; i == 0 || !checkpoint_steps(out).empty(); ++i) {
    ASSERT_LT(i, 20);
    out = scratch.file("run" + std::to_string(i));
    words = alone(long_virtual_run(out) + "--checkpoint-every 1000");
    Process process(words);
    ASSERT_TRUE(wait_until(
        [&] { return counted_steps(out).size() > 0 || !process.running(); }));
    process.kill_tree();
    process.wait();
  }
  Process again(words);
  expect_unbroken_result(again.wait());
  EXPECT_EQ(last_attempt(out).step, 0);
  expect_each_step_once(out, kLongSteps);
}

// Killed between the last checkpoint and the writing of the result.
TEST(Resume, WhenOnlyTheResultIsMissing) {
  const cli::Scratch scratch;
  const std::string out = scratch.file("run");
  result_of(cli::grapevine(long_virtual_run(out)));
  const std::string file = out + "/run.json";
  auto run = nlohmann::json::parse(cli::read_text(file));
  ASSERT_EQ(run.erase("result"), 1u);
  run["outcome"] = "running";
  std::ofstream(file) << run;
  expect_unbroken_result(cli::grapevine(long_virtual_run(out)));
  EXPECT_EQ(last_attempt(out).step, kLongSteps);
  expect_each_step_once(out, kLongSteps);
}

TEST(Resume, TheLauncherAloneIsKilled) {
  const cli::Scratch scratch;
  const std::string out = scratch.file("run");
  Process process(command_of(Place::kGloo, out));
  wait_for_checkpoint(process, out, 3);
  process.signal(SIGKILL);
  process.wait();
  EXPECT_TRUE(wait_until([] { return still_running().empty(); }))
      << "its workers outlive it";
}

class Interruption : public ::testing::TestWithParam<std::pair<Place, int>> {};

TEST_P(Interruption, CheckpointsAndResumes) {
  const auto [place, signal] = GetParam();
  const cli::Scratch scratch;
  const std::string out = scratch.file("run");
  nlohmann::json result;
  {
    Process process(command_of(place, out));
    wait_for_checkpoint(process, out, 3);
    process.signal(signal);
    const cli::Answer answer = process.wait();
    EXPECT_EQ(answer.exit_code, 1) << answer.error;
    result = nlohmann::json::parse(answer.out, nullptr, false);
  }
  ASSERT_TRUE(result.is_object());
  EXPECT_EQ(result["outcome"], "interrupted");
  ASSERT_FALSE(checkpoint_steps(out).empty());
  EXPECT_EQ(checkpoint_steps(out).front(), result["steps"])
      << "a checkpoint of the step at which it ended";
  const auto run = nlohmann::json::parse(cli::read_text(out + "/run.json"));
  EXPECT_EQ(run["outcome"], "interrupted");
  expect_unbroken_result(run_to_the_end(place, out));
  EXPECT_EQ(last_attempt(out).step, result["steps"]);
  expect_each_step_once(out, kLongSteps);
}

INSTANTIATE_TEST_SUITE_P(
    Signals,
    Interruption,
    ::testing::Values(
        std::pair{Place::kVirtual, SIGTERM},
        std::pair{Place::kVirtual, SIGINT},
        std::pair{Place::kGloo, SIGTERM}));

// Epochs of one step: whenever the signal comes, it comes at an epoch's end.
TEST(Interruption, AtTheEndOfAnEpochLosesNoEvaluation) {
  const cli::Scratch scratch;
  const auto words = [&](const std::string& name) {
    return alone(
        long_virtual_run(scratch.file(name)) +
        Words{
            "--synthetic-samples",
            std::to_string(16 * kLongWorkers),
            "--epochs",
            std::to_string(kLongSteps)});
  };
  Process unbroken(words("unbroken"));
  const auto expected = result_of(unbroken.wait());
  {
    Process process(words("broken"));
    wait_for_checkpoint(process, scratch.file("broken"), 3);
    process.signal(SIGTERM);
    ASSERT_EQ(process.wait().exit_code, 1);
  }
  Process process(words("broken"));
  expect_same_run(result_of(process.wait()), expected);
  expect_resumed(scratch.file("broken"), 3);
  EXPECT_EQ(
      evaluations(scratch.file("broken")),
      evaluations(scratch.file("unbroken")));
}

} // namespace
} // namespace grapevine::system
