#include "cli/run_summary.h"
#include "cli/table.h"
#include "cli/units.h"
#include "spec/spec_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace grapevine::cli {
namespace {

struct Sample {
  std::vector<double> values;

  void add(double value) {
    if (std::isfinite(value)) values.push_back(value);
  }
  double mean() const {
    double sum = 0;
    for (const double value : values)
      sum += value;
    return sum / static_cast<double>(values.size()); // NaN of none
  }
  double deviation() const {
    double squares = 0;
    for (const double value : values) {
      squares += (value - mean()) * (value - mean());
    }
    return std::sqrt(squares / (static_cast<double>(values.size()) - 1));
  }
};

// Runs that differ in their seed only.
struct Group {
  std::vector<std::string> choices;
  int runs = 0;
  int completed = 0;
  Sample accuracy, averaged, distance, messages, bytes, rate, gini;

  void add(const RunSummary& run) {
    ++runs;
    if (run.result.outcome != train::Outcome::kCompleted) return;
    ++completed;
    accuracy.add(run.result.test_accuracy);
    averaged.add(run.result.averaged_model_accuracy);
    distance.add(run.result.consensus_distance);
    messages.add(static_cast<double>(run.result.messages));
    bytes.add(static_cast<double>(run.result.bytes));
    rate.add(run.result.samples_per_second);
    if (run.first_gini) gini.add(*run.first_gini);
  }
};

std::string choice_text(const spec::SpecEntry& entry, const spec::Spec& spec) {
  const std::string value = entry.get_toml(spec);
  const bool quoted = value.size() >= 2 && value.front() == '"';
  const std::string text = quoted ? value.substr(1, value.size() - 2) : value;
  return text.empty() ? "–" : text;
}

std::string accuracy_text(const Sample& accuracy) {
  std::string text = fmt::format("{:.2f}", 100 * accuracy.mean());
  if (accuracy.values.empty()) return "–";
  if (accuracy.values.size() > 1) {
    text += fmt::format(" ± {:.2f}", 100 * accuracy.deviation());
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
    for (const std::string& key : keys) {
      choices.push_back(choice_text(*spec::find_entry(key), run.spec));
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

std::vector<std::string> cells(const Group& group) {
  std::vector<std::string> row = group.choices;
  row.push_back(
      group.completed == group.runs
          ? fmt::format("{}", group.runs)
          : fmt::format("{} of {}", group.completed, group.runs));
  row.push_back(accuracy_text(group.accuracy));
  row.push_back(
      group.averaged.values.empty()
          ? "–"
          : fmt::format("{:.2f}", 100 * group.averaged.mean()));
  row.push_back(human_number(group.distance.mean()));
  row.push_back(human_count(group.messages.mean()));
  row.push_back(human_bytes(group.bytes.mean()));
  row.push_back(human_count(group.rate.mean()));
  row.push_back(
      group.gini.values.empty() ? "–"
                                : fmt::format("{:.1e}", group.gini.mean()));
  return row;
}

} // namespace

std::string summary_table(
    const std::vector<RunSummary>& runs,
    const std::vector<std::string>& varied) {
  const std::vector<std::string> keys = columns(varied);
  std::vector<std::string> headers = keys;
  for (const char* header :
       {"runs",
        "accuracy %",
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
    table.add_row(cells(group));

  std::string text = table.text();
  for (const RunSummary& run : runs) {
    if (run.result.outcome == train::Outcome::kCompleted) continue;
    text += fmt::format(
        "{} {}{}\n",
        run.result.run,
        to_string(run.result.outcome),
        run.error.empty() ? "" : ": " + run.error);
  }
  return text;
}

} // namespace grapevine::cli
