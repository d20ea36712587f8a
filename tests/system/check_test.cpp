// --check finds nothing wrong with any preset; what `train` prints is what
// scripts rely on; a run that diverges says so.
#include "system/long_run.h"

#include <set>

namespace grapevine::system {
namespace {

// "The JSON names" of the design: neither less nor more.
const std::set<std::string> kNames = {
    "run",
    "outcome",
    "epochs",
    "steps",
    "train_loss",
    "test_accuracy",
    "averaged_model_accuracy",
    "consensus_distance",
    "parameters_sha256",
    "samples_per_second",
    "seconds",
    "virtual_seconds",
    "messages",
    "bytes",
    // Replicas are evaluated on a part of the test set.
    "replica_samples",
    "averaged_model_samples"};

void expect_names(const nlohmann::json& result) {
  std::set<std::string> names;
  for (const auto& item : result.items())
    names.insert(item.key());
  EXPECT_EQ(names, kNames);
}

class Check : public ::testing::TestWithParam<std::string> {};

TEST_P(Check, FindsNothingWrong) {
  const cli::Scratch scratch;
  const std::string out = scratch.file("run");
  const auto result =
      result_of(cli::grapevine(small_run(GetParam(), out) + Words{"-n", "5"}));
  expect_names(result);
  EXPECT_EQ(result["outcome"], "completed");
  EXPECT_EQ(result["run"], out);
  EXPECT_EQ(result["steps"], 7);
  EXPECT_EQ(result["virtual_seconds"], nullptr);
  EXPECT_EQ(result["parameters_sha256"].get<std::string>().size(), 64u);
  for (const char* key : {"train_loss", "samples_per_second", "seconds"}) {
    EXPECT_GT(result[key].get<double>(), 0) << key;
  }
  for (const char* key : {"test_accuracy", "averaged_model_accuracy"}) {
    EXPECT_GE(result[key].get<double>(), 0) << key;
    EXPECT_LE(result[key].get<double>(), 1) << key;
  }
  EXPECT_GT(result["messages"].get<int64_t>(), 0);
  EXPECT_GT(result["bytes"].get<int64_t>(), 0);
}

INSTANTIATE_TEST_SUITE_P(
    Presets,
    Check,
    ::testing::Values(
        "c-complete",
        "d-complete",
        "d-exponential",
        "d-torus",
        "d-ring",
        "ada",
        "ada-auto"),
    [](const auto& info) {
      std::string name = info.param;
      std::erase(name, '-');
      return name;
    });

TEST(Check, ReplicasOfACentralizedRunAreEqual) {
  const cli::Scratch scratch;
  const auto result = result_of(cli::grapevine(
      small_run("c-complete", scratch.file("run")) + Words{"-n", "5"}));
  // Their mean, which they are compared with, is rounded to floats.
  EXPECT_LT(result["consensus_distance"].get<double>(), 1e-10);
}

TEST(Check, OneWorkerHasNobodyToTalkTo) {
  const cli::Scratch scratch;
  const auto result = result_of(cli::grapevine(
      small_run("d-ring", scratch.file("run")) + Words{"-n", "1"}));
  EXPECT_EQ(result["messages"], 0);
  EXPECT_EQ(result["bytes"], 0);
}

class Divergence : public ::testing::TestWithParam<std::string> {};

TEST_P(Divergence, IsAnOutcomeAndExitCodeOne) {
  const cli::Scratch scratch;
  const Words words =
      small_run("d-ring", scratch.file("run")) + Words{"--lr", "1e6"};
  const auto run = [&] {
    return GetParam() == "gloo" ? over_gloo(2, words)
                                : cli::grapevine(words + Words{"-n", "2"});
  };
  const cli::Answer answer = run();
  EXPECT_EQ(answer.exit_code, 1) << answer.error;
  const auto result = nlohmann::json::parse(answer.out, nullptr, false);
  ASSERT_TRUE(result.is_object()) << answer.out << answer.error;
  expect_names(result);
  EXPECT_EQ(result["outcome"], "diverged");
  EXPECT_EQ(result["train_loss"], nullptr);
  // The stored result is a failure too.
  const cli::Answer again = run();
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_EQ(nlohmann::json::parse(again.out, nullptr, false), result);
}

INSTANTIATE_TEST_SUITE_P(
    Places,
    Divergence,
    ::testing::Values("virtual", "gloo"),
    [](const auto& info) { return info.param; });

} // namespace
} // namespace grapevine::system
