// Asynchronous runs, virtual and in processes: they repeat where they can,
// resume, end for any number of workers, and outlive their workers, the first
// one included.
#include "system/process.h"

#include <nlohmann/json.hpp>

#include <fstream>
#include <random>

namespace grapevine::system {
namespace {

Words gossip_run(const std::string& preset, const std::string& out) {
  return Words{
      "train",
      "--json",
      "--quiet",
      "--preset",
      preset,
      "--model",
      "mlp",
      "--data",
      "fashion-mnist",
      "--train-samples",
      "6000",
      "--batch",
      "32",
      "--lr",
      "0.05",
      "--eval-samples",
      "200",
      "--out",
      out};
}

std::vector<nlohmann::json>
records_of(const std::string& out, int process, const std::string& type) {
  std::ifstream file(
      out + "/records/process-" + std::to_string(process) + ".jsonl");
  std::vector<nlohmann::json> found;
  for (std::string line; std::getline(file, line);) {
    const auto record = nlohmann::json::parse(line, nullptr, false);
    if (!record.is_discarded() && record.value("type", "") == type) {
      found.push_back(record);
    }
  }
  return found;
}

TEST(VirtualGossip, RepeatsWhateverTheThreads) {
  const cli::Scratch scratch;
  for (const Words& more :
       {Words{"--preset", "a2cid2"},
        Words{"--preset", "ad-psgd", "--graph", "complete"},
        // An epoch of six rounds: the graph changes three times.
        Words{
            "--graph",
            "ada",
            "--epochs",
            "4",
            "--train-samples",
            "1400",
            "--checkpoint-every",
            "9"},
        Words{
            "--preset",
            "a2cid2",
            "--optimizer",
            "adam",
            "--lr",
            "0.001",
            "--compute",
            "10ms",
            "--link",
            "200mbit,1ms",
            "--slow",
            "2:3.0",
            "--max-lag",
            "2"}}) {
    std::string hash;
    for (const std::string threads : {"1", "2"}) {
      const auto result = result_of(cli::grapevine(
          gossip_run("a2cid2", scratch.file("run")) + more +
          Words{"--fresh", "-n", "7", "--steps", "20", "--threads", threads}));
      ASSERT_EQ(result["outcome"], "completed");
      EXPECT_EQ(result["steps"], 20);
      if (hash.empty()) hash = result["parameters_sha256"];
      EXPECT_EQ(result["parameters_sha256"], hash);
    }
  }
}

void expect_resumes_to_the_same_bits(
    const Words& words,
    const Words& of_the_second_attempt = {}) {
  const cli::Scratch scratch;
  const auto whole = result_of(
      cli::grapevine(gossip_run("a2cid2", scratch.file("whole")) + words));
  const std::string out = scratch.file("broken");
  {
    Process process(Words{program()} + gossip_run("a2cid2", out) + words);
    ASSERT_TRUE(wait_until([&] {
      return std::filesystem::exists(out + "/checkpoints") &&
             !std::filesystem::is_empty(out + "/checkpoints");
    }));
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    process.kill_tree();
    process.wait();
  }
  const auto resumed = result_of(cli::grapevine(
      gossip_run("a2cid2", out) + words + of_the_second_attempt));
  for (const char* key : {"parameters_sha256", "messages", "virtual_seconds"})
    EXPECT_EQ(resumed[key], whole[key]) << key;
}

TEST(VirtualGossip, ResumesToTheSameBits) {
  expect_resumes_to_the_same_bits(
      Words{"-n", "6", "--steps", "150", "--epochs", "20"} +
      Words{"--checkpoint-every", "7"} +
      Words{"--link", "100mbit,1ms", "--compute", "10ms"});
}

// Every epoch, of four rounds, has another graph, and ends with a checkpoint.
TEST(VirtualGossip, ResumesOnAGraphThatHasChangedWithOtherBuckets) {
  expect_resumes_to_the_same_bits(
      Words{"-n", "24", "--graph", "ada", "--k0", "20", "--gamma", "2"} +
          Words{"--epochs", "10", "--checkpoint-every", "4"} +
          Words{"--train-samples", "3072"},
      {"--bucket-bytes", "65536"});
}

TEST(VirtualGossip, DoesNotGoOnBetweenProcesses) {
  const cli::Scratch scratch;
  const std::string out = scratch.file("run");
  const Words words = gossip_run("a2cid2", out) +
                      Words{"-n", "2", "--steps", "5000", "--epochs", "99"} +
                      Words{"--checkpoint-every", "7"};
  {
    Process process(Words{program()} + words);
    ASSERT_TRUE(wait_until([&] {
      return std::filesystem::exists(out + "/checkpoints/step-00000014");
    }));
    process.kill_tree();
    process.wait();
  }
  const auto refused = over_gloo(2, words);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.error.find("with virtual workers"), std::string::npos)
      << refused.error;
  EXPECT_NE(cli::grapevine({"bench", "--out", out}).exit_code, 0);
}

// Of the replicas at the end, by what each worker wrote down of its own.
double distance_by_sketches(const std::string& out, int n) {
  std::vector<std::vector<double>> sketches;
  for (int rank = 0; rank < n; ++rank) {
    sketches.push_back(records_of(out, rank, "gossip").back()["sketch"][0]);
  }
  double distance = 0;
  for (size_t e = 0; e < sketches[0].size(); ++e) {
    double mean = 0;
    for (const auto& sketch : sketches)
      mean += sketch[e] / n;
    for (const auto& sketch : sketches)
      distance += (sketch[e] - mean) * (sketch[e] - mean) / n;
  }
  return distance;
}

TEST(Gossip, EndsOverGlooAndMpi) {
  const cli::Scratch scratch;
  const Words words = gossip_run("a2cid2", scratch.file("run")) +
                      Words{"--fresh", "--epochs", "9", "--steps", "60"} +
                      Words{"--graph", "complete", "--max-lag", "4"};
  for (const auto& [n, mpi] : std::vector<std::pair<int, bool>>{
           {1, false},
           {1, true},
           {4, false},
           {3, true}}) {
    SCOPED_TRACE(std::to_string(n) + (mpi ? " mpi" : " gloo"));
    const auto result =
        result_of(mpi ? over_mpi(n, words) : over_gloo(n, words));
    ASSERT_EQ(result["outcome"], "completed");
    // News travel; what was computed meanwhile comes on top.
    EXPECT_GE(result["steps"], 50);
    EXPECT_LE(result["steps"], 90);
    EXPECT_GT(result["averaged_model_accuracy"], 0.3);
    EXPECT_EQ(result["messages"] > 0, n > 1);
    if (n == 1) continue;
    const double exact = result["consensus_distance"];
    const double sketched = distance_by_sketches(scratch.file("run"), n);
    EXPECT_NEAR(sketched / exact, 1, 0.5) << sketched << " for " << exact;
  }
}

// Nothing is learnt at such a rate, so every worker gives up after three of its
// own epochs: the first, and two that are no better.
TEST(Gossip, ProcessesEndEarlyAndKeepTheBest) {
  const cli::Scratch scratch;
  const std::string out = scratch.file("run");
  const auto result = result_of(over_gloo(
      2,
      gossip_run("a2cid2", out) +
          Words{"--train-samples", "640", "--epochs", "500"} +
          Words{"--lr", "1e-12", "--max-lag", "2", "--ema", "0.9"} +
          Words{"--early-stop", "2", "--keep-best"}));
  EXPECT_EQ(result["outcome"], "completed");
  EXPECT_LT(result["epochs"], 400);
  EXPECT_TRUE(result["ema_accuracy"].is_number());
  // A replica's on the subset, or the average's on the whole test set.
  EXPECT_GT(result["best_accuracy"], 0);
  EXPECT_TRUE(std::filesystem::exists(out + "/best.safetensors"));
  EXPECT_EQ(cli::grapevine({"eval", out, "--json"}).exit_code, 0);
}

// Long enough for a worker to die in the middle of it.
Words long_gossip_run(const std::string& out) {
  return gossip_run("a2cid2", out) + Words{
                                         "--graph",
                                         "complete",
                                         "--lr-schedule",
                                         "cosine",
                                         "--epochs",
                                         "400",
                                         "--deadline",
                                         "10",
                                         "--max-lag",
                                         "2"};
}

Words under_launcher(const std::string& mode, const Words& words) {
  return Words{
             program(),
             "launch",
             "-n",
             "4",
             "--on-failure",
             mode,
             "--restarts",
             "1000",
             "--"} +
         words;
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

TEST(Gossip, GoesOnWithoutAnyWorker) {
  for (const int victim : {0, 2}) {
    const cli::Scratch scratch;
    const std::string out = scratch.file("run");
    Process process(under_launcher(
        "continue",
        long_gossip_run(out) + Words{"--steps", "600"}));
    ASSERT_TRUE(wait_until([&] { return has_begun(out); }));
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    kill(process.worker(victim), SIGKILL);
    const cli::Answer answer = process.wait(Seconds{200});
    const auto result = result_of(answer);
    EXPECT_EQ(result["outcome"], "completed");
    EXPECT_GT(result["averaged_model_accuracy"], 0.7);
    EXPECT_TRUE(cli::contains(answer.error, "was lost")) << answer.error;
    // The record says who was lost, and who came to the end.
    const auto lost = records_of(out, 1, "membership");
    EXPECT_TRUE(std::ranges::any_of(lost, [&](const auto& record) {
      return record["worker"] == victim && !record["is_there"];
    }));
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
      Words{"--link", "20mbit,1ms", "--"} + gossip_run("a2cid2", out) +
      Words{"--graph", "complete", "--max-lag", "2", "--epochs", "1000000"} +
      Words{"--deadline", "6", "--checkpoint-every", "1"});
  // Worker 1 says that the victim is there, or is not; checkpoints bring its
  // records to the disk.
  const auto says = [&](bool is_there) {
    return std::ranges::any_of(
        records_of(out, 1, "membership"),
        [&](const auto& record) {
          return record["worker"] == kVictim && record["is_there"] == is_there;
        });
  };
  const auto steps = [&] { return records_of(out, 1, "step").size(); };
  ASSERT_TRUE(
      wait_until([&] { return has_begun(out) && steps() > 2; }, Seconds{200}));
  const pid_t victim = process.worker(kVictim);
  kill(victim, SIGSTOP);
  EXPECT_TRUE(wait_until([&] { return says(false); }));
  const size_t before = steps();
  EXPECT_TRUE(wait_until([&] { return steps() > before + 5; }));
  kill(victim, SIGCONT);
  EXPECT_TRUE(wait_until([&] { return says(true); }));
  process.signal(SIGINT);
  const cli::Answer answer = process.wait(Seconds{200});
  EXPECT_EQ(answer.exit_code, 1) << answer.error;
  const auto ends = records_of(out, 1, "end");
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0]["members"].size(), 4U);
  EXPECT_TRUE(wait_until([] { return still_running().empty(); }));
}

// A short form of what docs/results.md has a minute of, to the very end.
TEST(Gossip, OutlivesRandomKills) {
  const cli::Scratch scratch;
  const Words steps = {"--steps", "1800", "--checkpoint-every", "100"};
  const auto calm = result_of(cli::grapevine(
      Words{"launch", "-n", "4", "--"} + long_gossip_run(scratch.file("calm")) +
      steps));
  const std::string out = scratch.file("run");
  Process process(under_launcher("restart", long_gossip_run(out) + steps));
  ASSERT_TRUE(wait_until([&] { return has_begun(out); }));
  std::mt19937 random(5);
  for (int i = 0; i < 10 && process.running(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    try {
      kill(process.worker(static_cast<int>(random() % 4)), SIGKILL);
    } catch (const std::runtime_error&) {
      // It has come to the end already.
    }
  }
  const auto result = result_of(process.wait(Seconds{300}));
  EXPECT_EQ(result["outcome"], "completed");
  EXPECT_NEAR(
      result["averaged_model_accuracy"].get<double>(),
      calm["averaged_model_accuracy"].get<double>(),
      0.02);
  EXPECT_TRUE(wait_until([] { return still_running().empty(); }, Seconds{20}));
}

// Killed while the processes load, a worker has nothing to come back to: all
// end, soon, and say why.
TEST(Gossip, ADeathBeforeTheBeginningEndsAll) {
  const cli::Scratch scratch;
  const std::string out = scratch.file("run");
  Process process(under_launcher("restart", long_gossip_run(out)));
  const pid_t victim = process.worker(2);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  ASSERT_FALSE(std::filesystem::exists(out + "/run.json"));
  kill(victim, SIGKILL);
  const cli::Answer answer = process.wait(Seconds{100});
  EXPECT_EQ(answer.exit_code, 2) << answer.error;
  EXPECT_TRUE(cli::contains(answer.error, "before the run had begun"))
      << answer.error;
}

TEST(Gossip, MpiJobsEndWithAWorkerAndResume) {
  const cli::Scratch scratch;
  const std::string out = scratch.file("run");
  const Words words = long_gossip_run(out) +
                      Words{"--steps", "800", "--checkpoint-every", "20"};
  {
    Process process(
        Words{"mpirun", "--oversubscribe", "-np", "4", program()} + words,
        {"OMPI_ALLOW_RUN_AS_ROOT=1",
         "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
         "OMP_NUM_THREADS=1"});
    ASSERT_TRUE(wait_until([&] {
      return std::filesystem::exists(
          out + "/checkpoints/own/worker-0002.safetensors");
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
