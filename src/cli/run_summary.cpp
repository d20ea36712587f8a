#include "cli/run_summary.h"

#include "spec/spec_table.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace grapevine::cli {
namespace {

std::optional<double> finite(double value) {
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

run::TrainResult nothing_known(const std::string& outcome) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  run::TrainResult result;
  result.outcome =
      outcome == "failed" ? run::Outcome::kFailed : run::Outcome::kInterrupted;
  result.train_loss = kNan;
  result.test_accuracy = kNan;
  result.averaged_model_accuracy = kNan;
  result.consensus_distance = kNan;
  result.samples_per_second = kNan;
  result.seconds = kNan;
  return result;
}

run::TrainResult result_of(const report::RunData& run) {
  if (!run.result.is_object()) return nothing_known(run.outcome);
  try {
    return run::result_from_json(run.result);
  } catch (const nlohmann::json::exception&) {
    return nothing_known(run.outcome); // written with other names
  }
}

// What the records say of a run that has no result yet.
void add_so_far(const report::RunData& run, run::TrainResult& result) {
  result.steps = run.steps;
  if (run.steps_per_epoch >= 1) {
    result.epochs = static_cast<int64_t>(
        static_cast<double>(run.steps) / run.steps_per_epoch);
  }
  const auto last = [](const report::Column& column) {
    return column.empty() ? std::nan("") : column.back();
  };
  result.test_accuracy = last(run.evaluations.accuracy.mean);
  result.averaged_model_accuracy = last(run.evaluations.averaged_accuracy);
  result.train_loss = last(run.evaluations.train_loss);
  const auto total = [&](double a_worker) {
    return std::isfinite(a_worker) ? std::llround(a_worker * run.spec.n) : 0;
  };
  result.messages = total(last(run.step_curves.axis.messages));
  result.bytes = total(last(run.step_curves.axis.bytes));
  const double seconds = last(run.step_curves.axis.seconds);
  if (std::isfinite(seconds)) result.seconds = seconds;
}

} // namespace

RunSummary summary_of(const report::RunData& run) {
  RunSummary summary;
  summary.spec = run.spec;
  summary.result = result_of(run);
  summary.result.run = run.path;
  summary.is_running = run.outcome == "running";
  if (run.result.is_null()) add_so_far(run, summary.result);
  summary.error = run.error;
  summary.first_gini = finite(run.first_gini);
  return summary;
}

nlohmann::json to_json(
    const RunSummary& summary,
    const std::vector<std::string>& varied) {
  nlohmann::json json = run::to_json(summary.result);
  if (summary.is_running) json["outcome"] = "running";
  std::vector<std::string> keys = {"preset", "graph", "n", "seed"};
  for (const std::string& key : varied) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      keys.push_back(key);
    }
  }
  for (const std::string& key : keys) {
    const spec::SpecEntry& entry = *spec::find_entry(key);
    // "epochs" and "steps" of a result are what was done; the choice of them
    // is the same unless the run ended early, so the result's stay.
    if (json.contains(key)) continue;
    // The TOML that the table writes is JSON too.
    json[key] = nlohmann::json::parse(entry.get_toml(summary.spec));
  }
  if (!summary.error.empty()) json["error"] = summary.error;
  json["first_gini"] = summary.first_gini ? nlohmann::json(*summary.first_gini)
                                          : nlohmann::json();
  return json;
}

} // namespace grapevine::cli
