// Asynchronous runs, virtual and in processes: they repeat where they can,
// resume, and end for any number of workers.
#include "system/gossip_runs.h"
#include "system/long_run.h"

#include <cmath>

namespace grapevine::system {
namespace {

// A word is a letter there and here, and a transfer a replica.
TEST(VirtualGossip, CountsBytesAsProcessesDo) {
  constexpr int kWorkers = 4;
  constexpr int64_t kLetter = 8 + 16 * kWorkers;
  const cli::Scratch scratch;
  const auto replica_bytes = [&](const cli::Answer& answer, int processes) {
    const auto result = result_of(answer);
    int64_t transfers = 0;
    for (int process = 0; process < processes; ++process) {
      const auto lines = records_of(result.at("run"), process, "gossip");
      for (const int64_t count : lines.back().at("averagings"))
        transfers += count;
    }
    const int64_t words = result.at("messages").get<int64_t>() - transfers;
    const int64_t left = result.at("bytes").get<int64_t>() - words * kLetter;
    EXPECT_GT(transfers, 0);
    EXPECT_EQ(transfers > 0 ? left % transfers : 0, 0);
    return transfers > 0 ? left / transfers : 0;
  };
  const auto run = [&](const char* name) {
    return gossip_run("ad-psgd", scratch.file(name)) +
           Words{"-n", std::to_string(kWorkers), "--steps", "20"} +
           "--max-lag 2"; // some averagings on any machine
  };
  EXPECT_EQ(
      replica_bytes(cli::grapevine(run("virtual")), 1),
      replica_bytes(over_gloo(kWorkers, run("processes")), kWorkers));
}

// The rest of an epoch is weighted by its samples, as in a synchronous run: at
// a learning rate of next to nothing the losses are the same.
TEST(VirtualGossip, WeighsPartialBatches) {
  const cli::Scratch scratch;
  const auto run = [&](const char* name, const Words& more) {
    return split(
               "train --json --quiet --model mlp --data synthetic "
               "--synthetic-samples 35 --batch 8 -n 2 --epochs 1 --lr 1e-9 "
               "--partial keep --eval-samples 10") +
           Words{"--out", scratch.file(name)} + more;
  };
  const Words gossip = split("--agreement gossip --graph ring");
  result_of(cli::grapevine(run("steps", {"--graph", "ring"})));
  result_of(cli::grapevine(run("virtual", gossip)));
  result_of(over_gloo(2, run("processes", gossip)));
  const auto expected = records_of(scratch.file("steps"), 0, "step").at(2);
  ASSERT_EQ(expected.at("step"), 2); // two samples of one, one of the other
  const auto loss = expected.at("loss").get<std::vector<double>>();
  const auto near = [](double a, double b) {
    EXPECT_NEAR(a, b, 1e-3 * std::abs(b));
  };
  const auto together = records_of(scratch.file("virtual"), 0, "step").at(2);
  for (int worker = 0; worker < 2; ++worker) {
    near(together.at("loss").at(worker), loss[worker]);
    const auto own = records_of(scratch.file("processes"), worker, "step");
    if (own.size() > 2) near(own[2].at("loss").at(0), loss[worker]);
  }
}

TEST(VirtualGossip, RepeatsWhateverTheThreads) {
  const cli::Scratch scratch;
  for (const Words& more :
       {split("--preset a2cid2"),
        split("--preset ad-psgd --graph complete"),
        // An epoch of six rounds: the graph changes three times.
        split("--graph ada --epochs 4 --train-samples 1400 "
              "--checkpoint-every 9"),
        split("--preset a2cid2 --optimizer adam --lr 0.001 --compute "
              "10ms --link 200mbit,1ms --slow 2:3.0 --max-lag 2")}) {
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
      split("-n 6 --steps 150 --epochs 20 --checkpoint-every 7 "
            "--link 100mbit,1ms --compute 10ms"));
}

// Every epoch, of four rounds, has another graph, and ends with a checkpoint.
TEST(VirtualGossip, ResumesOnAGraphThatHasChangedWithOtherBuckets) {
  expect_resumes_to_the_same_bits(
      split("-n 24 --graph ada --k0 20 --gamma 2 --epochs 10 "
            "--checkpoint-every 4 --train-samples 3072"),
      {"--bucket-bytes", "65536"});
}

TEST(VirtualGossip, DoesNotGoOnBetweenProcesses) {
  const cli::Scratch scratch;
  const std::string out = scratch.file("run");
  const Words words = gossip_run("a2cid2", out) +
                      "-n 2 --steps 5000 --epochs 99 --checkpoint-every 7";
  {
    Process process(Words{program()} + words);
    wait_for_checkpoint(process, out, 14);
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
  const Words words =
      gossip_run("a2cid2", scratch.file("run")) +
      "--fresh --epochs 9 --steps 60 --graph complete --max-lag 4";
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

// Over limited links nothing goes through shared memory, so all of it is
// packed.
TEST(Gossip, EndsWherePacked) {
  const cli::Scratch scratch;
  const auto result = result_of(cli::grapevine(
      split("launch -n 3 --link 10gbit --") +
      gossip_run("a2cid2", scratch.file("run")) +
      "--epochs 9 --steps 60 --graph complete --max-lag 4 "
      "--packing"));
  ASSERT_EQ(result["outcome"], "completed");
  EXPECT_GT(result["averaged_model_accuracy"], 0.3);
  EXPECT_GT(result["messages"], 0);
}

// The store is opened by all at the beginning, and again by all afterwards.
TEST(Gossip, EndsWhereTheWorkersMeetInAFile) {
  const cli::Scratch scratch;
  const std::string out = scratch.file("run");
  std::vector<std::unique_ptr<Process>> workers;
  for (int rank = 0; rank < 3; ++rank) {
    workers.push_back(std::make_unique<Process>(
        Words{program()} + gossip_run("a2cid2", out) +
            "--steps 60 --epochs 9 --max-lag 4",
        Words{
            "RANK=" + std::to_string(rank),
            "WORLD_SIZE=3",
            "HOST_ADDRESS=127.0.0.1",
            "OMP_NUM_THREADS=1",
            "GRAPEVINE_STORE_FILE=" + scratch.file("store")}));
  }
  const auto result = result_of(workers[0]->wait(Seconds{200}));
  EXPECT_EQ(result["outcome"], "completed");
  EXPECT_GT(result["messages"], 0);
  for (int rank = 1; rank < 3; ++rank) {
    const cli::Answer answer = workers[rank]->wait(Seconds{200});
    EXPECT_EQ(answer.exit_code, 0) << answer.error;
    EXPECT_EQ(answer.out, "");
    const auto ends = records_of(out, rank, "end");
    ASSERT_EQ(ends.size(), 1U);
    EXPECT_EQ(ends[0]["members"].size(), 3U);
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
          "--train-samples 640 --epochs 500 --lr 1e-12 --max-lag 2 "
          "--ema 0.9 --early-stop 2 --keep-best"));
  EXPECT_EQ(result["outcome"], "completed");
  EXPECT_LT(result["epochs"], 400);
  EXPECT_TRUE(result["ema_accuracy"].is_number());
  // A replica's on the subset, or the average's on the whole test set.
  EXPECT_GT(result["best_accuracy"], 0);
  EXPECT_TRUE(std::filesystem::exists(out + "/best.safetensors"));
  EXPECT_EQ(cli::grapevine({"eval", out, "--json"}).exit_code, 0);
}

} // namespace
} // namespace grapevine::system
