// A run that is long enough to be disturbed, what it leads to when nobody
// does, and what can be seen of it in its directory meanwhile.
#pragma once

#include "system/process.h"

#include <algorithm>
#include <random>

namespace grapevine::system {

inline constexpr int kLongWorkers = 4;
inline constexpr int kLongSteps = 90;

// The worker count comes from the launcher, or from `alone_of`.
inline Words long_run(const std::string& out) {
  return split(
             "train --json --quiet --preset d-ring --model mlp "
             "--data synthetic --synthetic-samples 3200 --epochs 3 "
             "--batch 16 --lr 0.05 --seed 5 --eval-samples 40 "
             "--checkpoint-every 3") +
         Words{"--steps", std::to_string(kLongSteps), "--out", out};
}

inline Words long_virtual_run(const std::string& out) {
  return long_run(out) +
         Words{"-n", std::to_string(kLongWorkers), "--threads", "1"};
}

// What an unbroken run prints.
inline const nlohmann::json& long_result() {
  static const nlohmann::json result = [] {
    const cli::Scratch scratch;
    return result_of(cli::grapevine(long_virtual_run(scratch.file("run"))));
  }();
  return result;
}

inline void expect_unbroken_result(const cli::Answer& answer) {
  expect_same_run(result_of(answer), long_result());
}

// Steps of the checkpoints that have a manifest, newest first.
inline std::vector<int> checkpoint_steps(const std::filesystem::path& run) {
  std::vector<int> steps;
  std::error_code error;
  std::filesystem::directory_iterator entry(run / "checkpoints", error);
  for (; !error && entry != std::filesystem::directory_iterator();
       entry.increment(error)) {
    if (std::filesystem::exists(entry->path() / "manifest.json", error)) {
      steps.push_back(std::atoi(entry->path().filename().c_str() + 5));
    }
  }
  std::sort(steps.rbegin(), steps.rend());
  return steps;
}

inline std::filesystem::path checkpoint_folder(
    const std::filesystem::path& run,
    int step) {
  const std::string digits = std::to_string(step);
  return run / "checkpoints" /
         ("step-" + std::string(8 - digits.size(), '0') + digits);
}

// Until the run has a checkpoint at this step or later.
inline void wait_for_checkpoint(
    Process& process,
    const std::filesystem::path& run,
    int step) {
  ASSERT_TRUE(wait_until([&] {
    const auto steps = checkpoint_steps(run);
    return (!steps.empty() && steps.front() >= step) || !process.running();
  })) << process.error();
  ASSERT_TRUE(process.running())
      << "ended before it could be disturbed: " << process.error();
}

// The same in every run unless GRAPEVINE_TEST_SEED varies it (./dev soak).
inline unsigned test_seed() {
  static const unsigned seed = [] {
    const char* given = std::getenv("GRAPEVINE_TEST_SEED");
    return given ? static_cast<unsigned>(std::atoi(given)) : 1u;
  }();
  return seed;
}

// A moment within the run that no two tests share: somewhere behind a random
// checkpoint, be it in a step or in the writing of the next.
inline void wait_for_random_moment(
    Process& process,
    const std::filesystem::path& run) {
  static std::mt19937 random(test_seed());
  const int step = std::uniform_int_distribution<>(1, kLongSteps / 3)(random);
  const int pause = std::uniform_int_distribution<>(0, 20)(random);
  wait_for_checkpoint(process, run, step);
  std::this_thread::sleep_for(std::chrono::milliseconds(pause));
}

// Files of the run that were being written when their writer ended.
inline Words temporary_files(const std::filesystem::path& run) {
  Words found;
  std::error_code error;
  std::filesystem::recursive_directory_iterator entry(run, error);
  for (; !error && entry != std::filesystem::recursive_directory_iterator();
       entry.increment(error)) {
    if (cli::contains(entry->path().filename().string(), ".tmp-")) {
      found.push_back(entry->path().string());
    }
  }
  return found;
}

// One message, on one line, that says what is the matter.
inline void expect_clear_failure(
    const cli::Answer& answer,
    int exit_code,
    const Words& parts) {
  EXPECT_EQ(answer.exit_code, exit_code) << answer.error;
  EXPECT_EQ(answer.out, "");
  for (const std::string& part : parts) {
    EXPECT_TRUE(cli::contains(answer.error, part))
        << "expected '" << part << "' in: " << answer.error;
  }
  EXPECT_EQ(std::count(answer.error.begin(), answer.error.end(), '\n'), 1)
      << answer.error;
}

} // namespace grapevine::system
