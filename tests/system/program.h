// Whole runs of the program, as people start them: alone, under mpirun, under
// `grapevine launch`.
#pragma once

#include "cli/program_runner.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace grapevine::system {

using Words = std::vector<std::string>;

inline Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// A run of a second or two that still uses batches, momentum, epochs and
// everything else that could differ between transports.
inline Words small_run(const std::string& preset, const std::string& out) {
  return {"train",     "--json",
          "--quiet",   "--preset",
          preset,      "--model",
          "mlp",       "--data",
          "synthetic", "--synthetic-samples",
          "672",       "--epochs",
          "2",         "--steps",
          "7",         "--batch",
          "16",        "--lr",
          "0.05",      "--seed",
          "3",         "--probe-every",
          "2",         "--eval-samples",
          "40",        "--check",
          "--out",     out};
}

// The JSON that the program printed. A failed run shows its stderr.
inline nlohmann::json result_of(const cli::Answer& answer) {
  EXPECT_EQ(answer.exit_code, 0) << answer.error;
  if (answer.out.empty()) return {};
  return nlohmann::json::parse(answer.out, nullptr, false);
}

inline cli::Answer over_gloo(int n, const Words& words) {
  return cli::grapevine(Words{"launch", "-n", std::to_string(n), "--"} + words);
}

inline cli::Answer over_mpi(int n, const Words& words) {
  return cli::start_program(
      words,
      "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
      "OMP_NUM_THREADS=1 mpirun --oversubscribe -np " +
          std::to_string(n));
}

} // namespace grapevine::system
