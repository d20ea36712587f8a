// What is done with a run that is there: its inputs have changed, it did not
// come to its end, its newest checkpoint is broken.
#include "cli/program_runner.h"

namespace grapevine::cli {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Words small_run(const std::string& out) {
  return {
      "train",
      "--json",
      "--quiet",
      "--data",
      "synthetic",
      "--synthetic-samples",
      "256",
      "--batch",
      "8",
      "-n",
      "4",
      "--steps",
      "6",
      "--threads",
      "1",
      "--out",
      out};
}

json result_of(const Words& words) {
  const Answer answer = grapevine(words);
  EXPECT_EQ(answer.exit_code, 0) << answer.error;
  return json::parse(answer.out, nullptr, false);
}

TEST(StoredRun, AnEdgeFileThatHasChangedIsAnotherGraph) {
  const Scratch scratch;
  const std::string edges = scratch.write("edges", "0 1\n1 2\n2 3\n");
  const Words words = small_run(scratch.file("run")) +
                      Words{"--graph", "edges", "--edges", edges};
  const json first = result_of(words);
  EXPECT_EQ(result_of(words), first);
  scratch.write("edges", "0 1\n1 2\n2 3\n3 0\n");
  expect_refusal(words, "holds a run whose graph held something else");
  EXPECT_NE(
      result_of(words + Words{"--fresh"})["parameters_sha256"],
      first["parameters_sha256"]);
}

TEST(StoredRun, InitialValuesThatHaveChangedAreOthers) {
  const Scratch scratch;
  const std::string values = scratch.file("values.safetensors");
  const auto export_from = [&](const std::string& seed) {
    const std::string run = scratch.file("from-" + seed);
    result_of(small_run(run) + Words{"--seed", seed});
    EXPECT_EQ(grapevine({"export", run, values}).exit_code, 0);
  };
  export_from("1");
  const Words words = small_run(scratch.file("run")) + Words{"--init", values};
  result_of(words);
  export_from("2");
  expect_refusal(words, "holds a run whose init held something else");
}

// As a killed process leaves it.
void forget_the_end(const std::string& run) {
  json description = json::parse(read_text(run + "/run.json"));
  description.erase("result");
  description["outcome"] = "running";
  std::ofstream(run + "/run.json") << description;
}

TEST(StoredRun, EvaluatesWhatDidNotComeToItsEnd) {
  const Scratch scratch;
  const std::string run = scratch.file("run");
  const json ended = result_of(small_run(run));
  forget_the_end(run);
  const json result = result_of({"eval", run, "--json"});
  EXPECT_EQ(result["outcome"], "interrupted");
  EXPECT_TRUE(result["train_loss"].is_null());
  EXPECT_TRUE(result["seconds"].is_null());
  for (const char* key :
       {"steps",
        "messages",
        "bytes",
        "test_accuracy",
        "consensus_distance",
        "parameters_sha256"}) {
    EXPECT_EQ(result[key], ended[key]) << key;
  }
}

TEST(StoredRun, EvaluatesAnOlderCheckpointWhereTheNewestIsBroken) {
  const Scratch scratch;
  const std::string run = scratch.file("run");
  result_of(small_run(run) + Words{"--checkpoint-every", "3"});
  std::filesystem::resize_file(
      run + "/checkpoints/step-00000006/worker-0001.safetensors",
      100);
  EXPECT_EQ(result_of({"eval", run, "--json"})["steps"], 3);
}

TEST(StoredRun, IsExportedIntoItself) {
  const Scratch scratch;
  const std::string run = scratch.file("run");
  result_of(small_run(run));
  EXPECT_EQ(
      result_of({"export", run, "--json"})["file"],
      run + "/averaged.safetensors");
  EXPECT_TRUE(std::filesystem::exists(run + "/averaged.safetensors"));
  result_of(small_run(run) + Words{"--fresh"});
  EXPECT_FALSE(std::filesystem::exists(run + "/averaged.safetensors"));
}

} // namespace
} // namespace grapevine::cli
