// A worker that dies or stops in the middle of a run: all others end soon, each
// says whom it waited for, nothing is left running, and the run resumes.
#include "system/long_run.h"
#include "system/run_records.h"

#include <regex>

namespace grapevine::system {
namespace {

constexpr int kVictim = 2;
// Long enough for a noisy machine's slowest step, short enough to wait for.
constexpr const char* kDeadline = "10";
// Deadline, grace and a kill; what is tested is that there is an end.
constexpr Seconds kBound{100};

enum class Launcher { kGloo, kMpirun };

Words command_of(Launcher launcher, const Words& words) {
  return launcher == Launcher::kGloo ? under_launch(kLongWorkers, words)
                                     : under_mpirun(kLongWorkers, words);
}

// Starts the run, sends the victim a signal in the middle of it, and returns
// what became of the whole.
cli::Answer disturb(
    Launcher launcher,
    int signal,
    const std::string& out,
    const Words& more = {}) {
  Process process(command_of(
      launcher,
      long_run(out) + more + Words{"--deadline", kDeadline}));
  const pid_t victim = process.worker(kVictim);
  wait_for_checkpoint(process, out, 6);
  EXPECT_EQ(kill(victim, signal), 0);
  const cli::Answer answer = process.wait(kBound);
  EXPECT_TRUE(wait_until([] { return still_running().empty(); }, Seconds{10}))
      << "something is left running";
  EXPECT_NE(answer.exit_code, 0);
  EXPECT_EQ(answer.out, "");
  return answer;
}

// Over whatever transport: here the one that is quick to start.
void expect_resumes(const std::string& out) {
  ASSERT_FALSE(checkpoint_steps(out).empty());
  expect_unbroken_result(cli::grapevine(long_virtual_run(out)));
  expect_resumed(out, 6);
}

// The messages of those who waited for the victim: "grapevine: worker 1:
// [operation] step 17: waited 6.0 s for worker 2 …".
std::vector<int> who_named_the_victim(const std::string& text) {
  const std::regex pattern(
      "worker (\\d+): \\[[^\\]]+\\] step \\d+: waited [0-9.]+ s for worker " +
      std::to_string(kVictim));
  std::vector<int> ranks;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end;
       match != end;
       ++match) {
    ranks.push_back(std::stoi((*match)[1]));
  }
  return ranks;
}

TEST(Failure, KilledWorkerOverGloo) {
  const cli::Scratch scratch;
  const std::string out = scratch.file("run");
  const cli::Answer answer = disturb(Launcher::kGloo, SIGKILL, out);
  EXPECT_EQ(answer.exit_code, 1);
  EXPECT_TRUE(cli::contains(
      answer.error,
      "worker 2 was killed by signal 9 (first to fail)"))
      << answer.error;
  EXPECT_FALSE(who_named_the_victim(answer.error).empty()) << answer.error;
  const auto run = nlohmann::json::parse(cli::read_text(out + "/run.json"));
  EXPECT_EQ(run["outcome"], "failed");
  EXPECT_TRUE(run.contains("error"));
  expect_resumes(out);
}

TEST(Failure, StoppedWorkerOverGloo) {
  const cli::Scratch scratch;
  const std::string out = scratch.file("run");
  const cli::Answer answer = disturb(Launcher::kGloo, SIGSTOP, out);
  EXPECT_EQ(answer.exit_code, 1);
  EXPECT_TRUE(cli::contains(answer.error, "(first to fail)")) << answer.error;
  EXPECT_TRUE(cli::contains(answer.error, "; worker 2 was stopped"))
      << answer.error;
  EXPECT_TRUE(cli::contains(answer.error, "timed out")) << answer.error;
  EXPECT_FALSE(who_named_the_victim(answer.error).empty()) << answer.error;
  Process again(command_of(Launcher::kGloo, long_run(out)));
  expect_unbroken_result(again.wait());
  expect_resumed(out, 6);
}

// mpirun's own message will do where it ends the job first.
TEST(Failure, KilledWorkerOverMpi) {
  const cli::Scratch scratch;
  const std::string out = scratch.file("run");
  const cli::Answer answer = disturb(Launcher::kMpirun, SIGKILL, out);
  EXPECT_TRUE(
      cli::contains(answer.error, "rank 2") ||
      !who_named_the_victim(answer.error).empty())
      << answer.error;
  expect_resumes(out);
}

TEST(Failure, StoppedWorkerOverMpi) {
  const cli::Scratch scratch;
  const std::string out = scratch.file("run");
  const cli::Answer answer = disturb(Launcher::kMpirun, SIGSTOP, out);
  EXPECT_TRUE(cli::contains(answer.error, "timed out")) << answer.error;
  EXPECT_FALSE(who_named_the_victim(answer.error).empty()) << answer.error;
  Process again(command_of(Launcher::kMpirun, long_run(out)));
  expect_unbroken_result(again.wait());
  expect_resumed(out, 6);
}

// With an exchange in the air that the training thread is not waiting for.
TEST(Failure, KilledWorkerWhileExchangesOverlap) {
  const Words ahead = split(
      "--agreement combine-while-adapt --graph "
      "one-peer-exponential");
  const cli::Scratch scratch;
  const auto unbroken = result_of(
      cli::grapevine(long_virtual_run(scratch.file("whole")) + ahead));
  for (const Launcher launcher : {Launcher::kGloo, Launcher::kMpirun}) {
    const bool is_gloo = launcher == Launcher::kGloo;
    const std::string out = scratch.file(is_gloo ? "gloo" : "mpi");
    const cli::Answer answer = disturb(launcher, SIGKILL, out, ahead);
    EXPECT_TRUE(
        !who_named_the_victim(answer.error).empty() ||
        (!is_gloo && cli::contains(answer.error, "rank 2")))
        << answer.error;
    expect_same_run(
        result_of(cli::grapevine(long_virtual_run(out) + ahead)),
        unbroken);
    expect_resumed(out, 6);
  }
}

// Worker 0 writes run.json and the manifests; without it the run must resume
// all the same.
TEST(Failure, KilledWorkerZeroOverGloo) {
  const cli::Scratch scratch;
  const std::string out = scratch.file("run");
  {
    Process process(under_launch(kLongWorkers, long_run(out)));
    const pid_t victim = process.worker(0);
    wait_for_checkpoint(process, out, 6);
    EXPECT_EQ(kill(victim, SIGKILL), 0);
    const cli::Answer answer = process.wait(kBound);
    EXPECT_EQ(answer.exit_code, 1);
    EXPECT_TRUE(cli::contains(
        answer.error,
        "worker 0 was killed by signal 9 (first to fail)"))
        << answer.error;
    EXPECT_TRUE(cli::contains(answer.error, "for worker 0")) << answer.error;
  }
  EXPECT_TRUE(still_running().empty());
  expect_resumes(out);
}

// Before the workers have met there is no connection that breaks: the launcher
// says that one will not come, and nobody waits for its deadline.
TEST(Failure, WorkerThatDiesBeforeAllHaveMet) {
  const cli::Scratch scratch;
  const cli::Answer answer = cli::grapevine(
      Words{
          "launch",
          "-n",
          "3",
          "--",
          "sh",
          "-c",
          "[ $RANK != 1 ] || kill -9 $$; exec \"$0\" \"$@\"",
          program()} +
      long_run(scratch.file("run")));
  EXPECT_EQ(answer.exit_code, 1);
  EXPECT_EQ(answer.out, "");
  EXPECT_TRUE(cli::contains(
      answer.error,
      "worker 1 was killed by signal 9 before all workers had met"))
      << answer.error;
  EXPECT_TRUE(cli::contains(answer.error, "signal 9 (first to fail)"))
      << answer.error;
}

} // namespace
} // namespace grapevine::system
