#include "cli/run_summary.h"

#include "cli/table.h"
#include "cli/units.h"
#include "report/grouping.h"
#include "report/run_reader.h"
#include "report/statistics.h"
#include "spec/spec_table.h"

#include <fmt/format.h>
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
  const report::Curves& evaluations = run.curves.at("evaluations");
  result.test_accuracy = last(evaluations["accuracy"].mean);
  result.averaged_model_accuracy = last(evaluations["averaged_accuracy"].mean);
  result.train_loss = last(evaluations["train_loss"].mean);
  const auto total = [&](double a_worker) {
    return std::isfinite(a_worker) ? std::llround(a_worker * run.spec.n) : 0;
  };
  const report::Axis& axis = run.curves.at("steps").axis;
  result.messages = total(last(axis["messages"]));
  result.bytes = total(last(axis["bytes"]));
  const double seconds = last(axis["seconds"]);
  if (std::isfinite(seconds)) result.seconds = seconds;
}

using Values = std::vector<double>; // finite or not

// Runs that differ in their seed only.
struct Group {
  std::vector<std::string> choices;
  int runs = 0;
  int completed = 0;
  Values accuracy, averaged, distance, messages, bytes, rate, gini;
  Values perplexity, averaged_perplexity; // of language models

  void add(const RunSummary& run) {
    ++runs;
    const bool has_completed = run.result.outcome == run::Outcome::kCompleted;
    completed += has_completed ? 1 : 0;
    if (!has_completed && run.result.outcome != run::Outcome::kDiverged) {
      return;
    }
    accuracy.push_back(run.result.test_accuracy);
    averaged.push_back(run.result.averaged_model_accuracy);
    if (run.result.test_perplexity) {
      perplexity.push_back(*run.result.test_perplexity);
    }
    if (run.result.averaged_model_perplexity) {
      averaged_perplexity.push_back(*run.result.averaged_model_perplexity);
    }
    distance.push_back(run.result.consensus_distance);
    messages.push_back(static_cast<double>(run.result.messages));
    bytes.push_back(static_cast<double>(run.result.bytes));
    rate.push_back(run.result.samples_per_second);
    if (run.first_gini) gini.push_back(*run.first_gini);
  }
};

double mean_of(const Values& values) {
  return report::summarize(values).mean;
}

// "83.10 ± 0.12" of the values times `scale`.
std::string spread_text(const Values& values, double scale, int digits) {
  const report::Summary summary = report::summarize(values);
  if (summary.count == 0) return "–";
  std::string text = fmt::format("{:.{}f}", scale * summary.mean, digits);
  if (summary.count > 1) {
    text += fmt::format(" ± {:.{}f}", scale * summary.sd, digits);
  }
  return text;
}

std::vector<std::string> columns(const std::vector<std::string>& varied) {
  std::vector<std::string> keys = {"preset", "graph", "n"};
  for (const std::string& key : varied) {
    const bool known = std::find(keys.begin(), keys.end(), key) != keys.end();
    if (!known && key != "seed") keys.push_back(key);
  }
  return keys;
}

std::vector<Group> grouped(
    const std::vector<RunSummary>& runs,
    const std::vector<std::string>& keys) {
  std::vector<Group> groups; // in the order of the runs
  for (const RunSummary& run : runs) {
    std::vector<std::string> choices;
    choices.reserve(keys.size());
    for (const std::string& key : keys) {
      choices.push_back(report::choice_text(run.spec, key));
    }
    auto group =
        std::find_if(groups.begin(), groups.end(), [&](const Group& g) {
          return g.choices == choices;
        });
    if (group == groups.end()) {
      group = groups.insert(groups.end(), Group{.choices = choices});
    }
    group->add(run);
  }
  return groups;
}

std::vector<std::string> cells(const Group& group, bool shows_perplexity) {
  std::vector<std::string> row = group.choices;
  row.push_back(
      group.completed == group.runs
          ? fmt::format("{}", group.runs)
          : fmt::format("{} of {}", group.completed, group.runs));
  if (shows_perplexity) {
    row.push_back(spread_text(group.perplexity, 1, 3));
    row.push_back(spread_text(group.averaged_perplexity, 1, 3));
  }
  row.push_back(spread_text(group.accuracy, 100, 2));
  const double averaged = mean_of(group.averaged);
  row.push_back(
      std::isfinite(averaged) ? fmt::format("{:.2f}", 100 * averaged) : "–");
  row.push_back(human_number(mean_of(group.distance)));
  row.push_back(human_count(mean_of(group.messages)));
  row.push_back(human_bytes(mean_of(group.bytes)));
  row.push_back(human_count(mean_of(group.rate)));
  row.push_back(
      group.gini.empty() ? "–" : fmt::format("{:.1e}", mean_of(group.gini)));
  return row;
}

// ", 57 steps, accuracy 83.10 %".
std::string so_far(const run::TrainResult& result) {
  std::string text = fmt::format(", {} steps", result.steps);
  if (std::isfinite(result.test_accuracy)) {
    text += ", " + quality_text(result.test_accuracy, result.test_perplexity);
  }
  return text;
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

std::string summary_table(
    const std::vector<RunSummary>& runs,
    const std::vector<std::string>& varied) {
  const std::vector<std::string> keys = columns(varied);
  const bool shows_perplexity =
      std::ranges::any_of(runs, [](const RunSummary& run) {
        return run.result.test_perplexity.has_value();
      });
  std::vector<std::string> headers = keys;
  headers.emplace_back("runs");
  if (shows_perplexity) {
    headers.insert(headers.end(), {"perplexity", "averaged"});
  }
  for (const char* header :
       {"accuracy %",
        "averaged %",
        "consensus",
        "messages",
        "bytes",
        "samples/s",
        "Gini"}) {
    headers.emplace_back(header);
  }
  Table table(headers);
  for (const Group& group : grouped(runs, keys))
    table.add_row(cells(group, shows_perplexity));

  std::string text = table.text();
  for (const RunSummary& run : runs) {
    if (run.result.outcome == run::Outcome::kCompleted) continue;
    text += fmt::format(
        "{} {}{}{}\n",
        run.result.run,
        run.is_running ? "running" : to_string(run.result.outcome),
        run.is_running ? so_far(run.result) : "",
        run.error.empty() ? "" : ": " + run.error);
  }
  return text;
}

} // namespace grapevine::cli
