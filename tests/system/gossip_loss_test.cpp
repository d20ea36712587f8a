// Asynchronous runs of processes outlive their workers, the first one included,
// or, over MPI, resume.
#include "system/gossip_runs.h"
#include "system/long_run.h"

#include <iostream>
#include <optional>
#include <random>

namespace grapevine::system {
namespace {

// Long enough for a worker to die in the middle of it.
Words long_gossip_run(const std::string& out) {
  return gossip_run("a2cid2", out) +
         "--graph complete --lr-schedule cosine --epochs 400 "
         "--deadline 10 --max-lag 2";
}

Words under_launcher(const std::string& mode, const Words& words) {
  return Words{program(), "launch", "--on-failure", mode} +
         "-n 4 --restarts 1000 --" + words;
}

bool has_begun(const std::string& out) {
  for (int rank = 0; rank < 4; ++rank) {
    if (!std::filesystem::exists(
            out + "/records/process-" + std::to_string(rank) + ".jsonl")) {
      return false;
    }
  }
  return true;
}

// The last of its records about another: that it is there, or is not.
std::optional<bool> worker_1_says(const std::string& out, int worker) {
  std::optional<bool> last;
  for (const auto& record : records_of(out, 1, "membership")) {
    if (record["worker"] == worker) last = record["is_there"];
  }
  return last;
}

TEST(Gossip, GoesOnWithoutAnyWorker) {
  for (const int victim : {0, 2}) {
    const cli::Scratch scratch;
    const std::string out = scratch.file("run");
    Process process(under_launcher(
        "continue",
        long_gossip_run(out) + "--steps 1500 --checkpoint-every 20"));
    // Checkpoints bring records to the disk.
    ASSERT_TRUE(wait_until(
        [&] { return has_begun(out) && worker_1_says(out, victim) == true; }));
    kill(process.worker(victim), SIGKILL);
    const cli::Answer answer = process.wait(Seconds{200});
    const auto result = result_of(answer);
    EXPECT_EQ(result["outcome"], "completed");
    EXPECT_GT(result["averaged_model_accuracy"], 0.7);
    EXPECT_TRUE(cli::contains(answer.error, "was lost")) << answer.error;
    // The record says who was lost, and who came to the end.
    EXPECT_EQ(worker_1_says(out, victim), false);
    const auto ends = records_of(out, 1, "end");
    ASSERT_EQ(ends.size(), 1U);
    EXPECT_EQ(ends[0]["members"].size(), 3U);
    const auto run = nlohmann::json::parse(cli::read_text(out + "/run.json"));
    EXPECT_EQ(run["outcome"], "completed");
    // The averaged model is there like that of any other run.
    EXPECT_EQ(cli::grapevine({"eval", out, "--json"}).exit_code, 0);
  }
}

// Stopped for longer than the deadline, a worker is as good as cut off: the
// others find that out and go on; when it goes on too, they take it back, and
// all come to the end that a signal asks for.
TEST(Gossip, GoesOnWithoutAWorkerThatIsCutOff) {
  constexpr int kVictim = 2;
  const cli::Scratch scratch;
  const std::string out = scratch.file("run");
  Process process(
      Words{program(), "launch", "-n", "4", "--on-failure", "continue"} +
      "--link 20mbit,1ms --" + gossip_run("a2cid2", out) +
      "--graph complete --max-lag 2 --epochs 1000000 "
      "--deadline 6 --checkpoint-every 1");
  const auto steps = [&] { return records_of(out, 1, "step").size(); };
  ASSERT_TRUE(
      wait_until([&] { return has_begun(out) && steps() > 2; }, Seconds{200}));
  const pid_t victim = process.worker(kVictim);
  kill(victim, SIGSTOP);
  EXPECT_TRUE(wait_until([&] { return worker_1_says(out, kVictim) == false; }));
  const size_t before = steps();
  EXPECT_TRUE(wait_until([&] { return steps() > before + 5; }));
  kill(victim, SIGCONT);
  EXPECT_TRUE(wait_until([&] { return worker_1_says(out, kVictim) == true; }));
  process.signal(SIGINT);
  const cli::Answer answer = process.wait(Seconds{200});
  EXPECT_EQ(answer.exit_code, 1) << answer.error;
  EXPECT_TRUE(cli::contains(answer.error, "told to end by signal 2"))
      << answer.error;
  EXPECT_FALSE(cli::contains(answer.error, "was lost")) << answer.error;
  const auto ends = records_of(out, 1, "end");
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0]["members"].size(), 4U);
  EXPECT_TRUE(wait_until([] { return still_running().empty(); }));
}

// How long workers are killed for: GRAPEVINE_KILL_SECONDS, as in
// docs/testing.md, or a short while.
double seconds_of_kills() {
  const char* given = std::getenv("GRAPEVINE_KILL_SECONDS");
  return given != nullptr ? std::atof(given) : 7;
}

// One at random every 0.4 to 1 s, or 1 to 3 s of many; how many it were.
int kill_at_random(Process& process, double seconds) {
  std::mt19937 random(test_seed());
  const double longest = seconds > 20 ? 3 : 1;
  std::uniform_real_distribution<> pause(0.4 * longest, longest);
  int kills = 0;
  const auto end = std::chrono::steady_clock::now() + Seconds(seconds);
  while (std::chrono::steady_clock::now() < end && process.running()) {
    std::this_thread::sleep_for(Seconds(pause(random)));
    try {
      kill(process.worker(static_cast<int>(random() % 4)), SIGKILL);
      ++kills;
    } catch (const std::runtime_error&) {
      // It has come to the end already.
    }
  }
  return kills;
}

// To the very end, which may fall among the kills: a run that is long enough
// not to be over by then is not much longer.
TEST(Gossip, OutlivesRandomKills) {
  const double seconds = seconds_of_kills();
  SCOPED_TRACE("GRAPEVINE_TEST_SEED=" + std::to_string(test_seed()));
  const cli::Scratch scratch;
  const Words steps = {
      "--steps",
      std::to_string(static_cast<int>(seconds / 7 * 1800)),
      "--checkpoint-every",
      "100"};
  const auto calm = result_of(cli::grapevine(
      split("launch -n 4 --") + long_gossip_run(scratch.file("calm")) + steps));
  const std::string out = scratch.file("run");
  Process process(under_launcher("restart", long_gossip_run(out) + steps));
  ASSERT_TRUE(wait_until([&] { return has_begun(out); }));
  const int kills = kill_at_random(process, seconds);
  const auto result = result_of(process.wait(Seconds{300 + 10 * seconds}));
  EXPECT_EQ(result["outcome"], "completed");
  const double accuracy = result["averaged_model_accuracy"];
  const double undisturbed = calm["averaged_model_accuracy"];
  EXPECT_NEAR(accuracy, undisturbed, 0.02);
  std::cout << kills << " kills: " << accuracy << ", undisturbed "
            << undisturbed << ", " << result["steps"] << " rounds in "
            << result["seconds"] << " s, undisturbed in " << calm["seconds"]
            << " s" << std::endl;
  EXPECT_TRUE(wait_until([] { return still_running().empty(); }, Seconds{20}));
}

// Killed while the processes load, a worker has nothing to come back to: all
// end, soon, and say why.
TEST(Gossip, ADeathBeforeTheBeginningEndsAll) {
  const cli::Scratch scratch;
  cli::Answer answer;
  std::string out;
  // Who comes too late, when the run has begun, tries another one.
  const auto has_begun = [&] {
    return std::filesystem::exists(out + "/run.json");
  };
  for (int i = 0; i == 0 || has_begun(); ++i) {
    ASSERT_LT(i, 20);
    out = scratch.file("run" + std::to_string(i));
    Process process(under_launcher("restart", long_gossip_run(out)));
    const pid_t victim = process.worker(2);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (has_begun()) {
      process.kill_tree();
    } else {
      kill(victim, SIGKILL);
    }
    answer = process.wait(Seconds{100});
  }
  EXPECT_EQ(answer.exit_code, 2) << answer.error;
  EXPECT_TRUE(cli::contains(answer.error, "before the run had begun"))
      << answer.error;
}

TEST(Gossip, SynchronousRunsCannotGoOnWithoutAWorker) {
  const cli::Scratch scratch;
  for (const std::string mode : {"continue", "restart"}) {
    const cli::Answer answer = cli::grapevine(
        Words{"launch", "-n", "2", "--on-failure", mode, "--"} +
        gossip_run("d-ring", scratch.file("run")));
    EXPECT_EQ(answer.exit_code, 2);
    EXPECT_TRUE(cli::contains(answer.error, "launch --on-failure " + mode))
        << answer.error;
    EXPECT_FALSE(std::filesystem::exists(scratch.file("run")));
  }
}

TEST(Gossip, MpiJobsEndWithAWorkerAndResume) {
  const cli::Scratch scratch;
  const std::string out = scratch.file("run");
  const Words words =
      long_gossip_run(out) + "--steps 800 --checkpoint-every 20";
  {
    Process process(under_mpirun(4, words));
    ASSERT_TRUE(wait_until([&] {
      for (const char* worker : {"0000", "0001", "0002", "0003"}) {
        if (!std::filesystem::exists(
                out + "/checkpoints/own/worker-" + worker + ".safetensors")) {
          return false;
        }
      }
      return true;
    }));
    kill(process.worker(2), SIGKILL);
    EXPECT_NE(process.wait(Seconds{60}).exit_code, 0);
  }
  const auto result = result_of(over_mpi(4, words));
  EXPECT_EQ(result["outcome"], "completed");
  EXPECT_GT(result["averaged_model_accuracy"], 0.7);
  // It went on from where its workers were.
  const auto attempts = records_of(out, 0, "attempt");
  ASSERT_EQ(attempts.size(), 2U);
  EXPECT_GE(attempts[1]["step"], 20);
}

} // namespace
} // namespace grapevine::system
