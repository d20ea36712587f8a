// What a finished run was and what came out of it, for tables.
#pragma once

#include "report/run_data.h"
#include "run/trainer.h"
#include "spec/spec.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace grapevine::cli {

struct RunSummary {
  spec::Spec spec;
  run::TrainResult result;
  bool is_running = false; // the result is then empty
  std::string error;       // of a failed run
  // Of the first parameter tensor's norm over the workers, mean over the
  // first epoch's records; absent where nothing was probed.
  std::optional<double> first_gini;
};

RunSummary summary_of(const report::RunData& run);

// The train result with its choices: preset, graph, n, seed and `varied`.
nlohmann::json to_json(
    const RunSummary& summary,
    const std::vector<std::string>& varied);

// One row for each choice but the seed, means over the seeds with their
// standard deviation, then a line for each run that did not complete. Runs
// that diverged count with the accuracy that they were left with.
std::string summary_table(
    const std::vector<RunSummary>& runs,
    const std::vector<std::string>& varied);

} // namespace grapevine::cli
