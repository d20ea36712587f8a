#include "cli/run_summary.h"

#include "record/record_reader.h"
#include "spec/spec_table.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace grapevine::cli {

std::optional<double> read_first_gini(const record::RunDirectory& run) {
  double sum = 0;
  int count = 0;
  record::read_run_records(run, [&](const nlohmann::json& line) {
    if (line.at("type") != "dispersion" || line.value("epoch", -1) != 0) return;
    const auto gini = line.find("gini");
    if (gini == line.end() || !gini->is_array() || gini->empty()) return;
    if (!gini->front().is_number()) return;
    sum += gini->front().get<double>();
    ++count;
  });
  if (count == 0) return std::nullopt;
  return sum / count;
}

RunSummary read_summary(const record::RunDirectory& run) {
  RunSummary summary;
  summary.spec =
      spec::parse_spec(run.read_spec(), run.spec_file().string(), {}).spec;
  summary.result.run = run.path().string();
  summary.result.outcome = train::Outcome::kInterrupted; // nothing written yet
  if (const auto json = run.read_run()) {
    const auto result = json->find("result");
    if (result != json->end() && result->is_object()) {
      summary.result = train::result_from_json(*result);
    } else if (json->value("outcome", "") == "failed") {
      summary.result.outcome = train::Outcome::kFailed;
    }
    summary.error = json->value("error", "");
  }
  summary.first_gini = read_first_gini(run);
  return summary;
}

nlohmann::json to_json(
    const RunSummary& summary,
    const std::vector<std::string>& varied) {
  nlohmann::json json = train::to_json(summary.result);
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
