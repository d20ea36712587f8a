// Whole runs of the program, as people start them: alone, under mpirun, or a
// process a worker over Gloo.
#pragma once

#include "cli/program_runner.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <deque>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace grapevine::system {

using Words = std::vector<std::string>;

// Cuts a command line at its spaces.
inline Words split(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), {}};
}

inline Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}
inline Words operator+(Words left, const std::string& line) {
  return std::move(left) + split(line);
}

// A run of a second or two that still uses batches, momentum, epochs and
// everything else that could differ between transports.
inline Words small_run(const std::string& preset, const std::string& out) {
  return split(
             "train --json --quiet --model mlp --data synthetic "
             "--synthetic-samples 672 --epochs 2 --steps 7 --batch 16 "
             "--lr 0.05 --seed 3 --probe-every 2 --eval-samples 40 "
             "--check") +
         Words{"--preset", preset, "--out", out};
}

// The JSON that the program printed. A failed run shows its stderr.
inline nlohmann::json result_of(const cli::Answer& answer) {
  EXPECT_EQ(answer.exit_code, 0) << answer.error;
  if (answer.out.empty()) return {};
  return nlohmann::json::parse(answer.out, nullptr, false);
}

// Everything that does not measure time or name the directory.
inline void expect_same_run(
    const nlohmann::json& result,
    const nlohmann::json& expected) {
  for (const char* key :
       {"outcome",
        "epochs",
        "steps",
        "train_loss",
        "test_accuracy",
        "averaged_model_accuracy",
        "consensus_distance",
        "parameters_sha256",
        "messages",
        "bytes"}) {
    ASSERT_TRUE(result.is_object() && result.contains(key)) << key;
    EXPECT_EQ(result.at(key), expected.at(key)) << key;
  }
}

// As a script would start them, whose workers meet in a file; but as forks of
// this test (cli::ForkedProgram). What all of them say, and the first code that
// is not 0.
inline cli::Answer over_gloo(int n, const Words& words) {
  const cli::Scratch meeting;
  std::deque<cli::ForkedProgram> workers;
  for (int rank = 0; rank < n; ++rank) {
    workers.emplace_back(
        words,
        cli::Variables{
            {"RANK", std::to_string(rank)},
            {"WORLD_SIZE", std::to_string(n)},
            {"HOST_ADDRESS", "127.0.0.1"},
            {"GRAPEVINE_STORE_FILE", meeting.file("store")}});
  }
  cli::Answer all{0, "", ""};
  for (auto& worker : workers) {
    const cli::Answer answer = worker.wait();
    if (all.exit_code == 0) all.exit_code = answer.exit_code;
    all.out += answer.out;
    all.error += answer.error;
  }
  return all;
}

inline cli::Answer over_mpi(int n, const Words& words) {
  return cli::start_program(
      words,
      "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
      "OMP_NUM_THREADS=1 mpirun --oversubscribe -np " +
          std::to_string(n));
}

} // namespace grapevine::system
