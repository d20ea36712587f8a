// --check finds nothing wrong with any preset; what `train` prints is what
// scripts rely on; a run that diverges says so.
#include "cli/result_keys.h"
#include "system/long_run.h"

#include <set>

namespace grapevine::system {
namespace {

// Replicas are evaluated on a part of the test set.
void expect_names(const nlohmann::json& result) {
  std::set<std::string> expected = cli::kResultKeys;
  expected.insert({"replica_samples", "averaged_model_samples"});
  EXPECT_EQ(cli::keys_of(result), expected);
}

class Check : public ::testing::TestWithParam<std::string> {};

TEST_P(Check, FindsNothingWrong) {
  const cli::Scratch scratch;
  const std::string out = scratch.file("run");
  const auto result =
      result_of(cli::grapevine(small_run(GetParam(), out) + "-n 5"));
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
  const auto result = result_of(
      cli::grapevine(small_run("c-complete", scratch.file("run")) + "-n 5"));
  // Their mean, which they are compared with, is rounded to floats.
  EXPECT_LT(result["consensus_distance"].get<double>(), 1e-10);
}

TEST(Check, OneWorkerHasNobodyToTalkTo) {
  const cli::Scratch scratch;
  const auto result = result_of(
      cli::grapevine(small_run("d-ring", scratch.file("run")) + "-n 1"));
  EXPECT_EQ(result["messages"], 0);
  EXPECT_EQ(result["bytes"], 0);
}

class Divergence : public ::testing::TestWithParam<std::string> {};

TEST_P(Divergence, IsAnOutcomeAndExitCodeOne) {
  const cli::Scratch scratch;
  const Words words = small_run("d-ring", scratch.file("run")) + "--lr 1e6";
  const auto run = [&] {
    return GetParam() == "gloo" ? over_gloo(2, words)
                                : cli::grapevine(words + "-n 2");
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
