#include "cli/plan_text.h"

#include "cli/table.h"
#include "cli/units.h"
#include "cli/version.h"
#include "record/atomic_file.h"
#include "report/page.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>
#include <set>

namespace grapevine::cli {
namespace {

using sim::Prediction;
using sim::time_text;

std::string level_text(const std::optional<sim::Level>& level) {
  if (!level) return "not known";
  const double rate = std::min(level->bandwidth, level->shared);
  return fmt::format(
      "{}, latency {}",
      std::isfinite(rate) ? human_bytes(rate) + "/s" : "unlimited",
      time_text(level->latency));
}

std::string workers_text(int n) {
  return fmt::format("{} worker{}", n, n == 1 ? "" : "s");
}

std::string agreement_text(double steps) {
  if (steps == 0) return "always";
  if (!std::isfinite(steps)) return "never";
  return fmt::format("{:.0f} steps", std::ceil(steps));
}

std::string table_of(std::vector<const Prediction*> rows) {
  std::ranges::stable_sort(rows, {}, [](const Prediction* row) {
    return row->times.seconds;
  });
  Table table(
      {"algorithm",
       "graph",
       "iteration",
       "compute",
       "exposed",
       "stragglers",
       "gain",
       "copies",
       "to agree"});
  for (const Prediction* row : rows) {
    const bool has_gain = row->gain && std::isfinite(*row->gain);
    table.add_row(
        {row->algorithm,
         row->is_all_reduce() ? "" : row->graph_label(),
         time_text(row->times.seconds),
         time_text(row->times.compute),
         time_text(row->times.exposed),
         time_text(row->times.straggler),
         has_gain ? fmt::format("{:.2f} x", *row->gain) : "–",
         row->plan == "ring" ? "–" : human_number(row->copies),
         agreement_text(row->steps_to_agree)});
  }
  return table.text(2);
}

// One line for each that some n does not allow: a graph, or one algorithm on it
// if others can have it.
std::string impossible_text(std::span<const Prediction> predictions) {
  std::set<std::pair<std::string, int>> had; // graphs, n
  for (const Prediction& row : predictions) {
    if (row.impossible.empty()) had.insert({row.graph_label(), row.n()});
  }
  std::map<std::string, std::set<int>> impossible; // n by label
  for (const Prediction& it : predictions) {
    if (it.impossible.empty()) continue;
    const bool others_can = had.contains({it.graph_label(), it.n()});
    impossible[others_can ? it.label() : it.graph_label()].insert(it.n());
  }
  std::string text = impossible.empty() ? "" : "\n";
  for (const auto& [label, ns] : impossible) {
    text += fmt::format(
        "not possible: {} with n = {}\n",
        label,
        fmt::join(ns, ", "));
  }
  return text;
}

} // namespace

std::string query_text(const sim::Query& query) {
  const sim::Costs costs = query.costs_with_link();
  const sim::Compute& compute = costs.compute;
  Table table;
  const auto bytes = static_cast<double>(compute.model_bytes());
  std::string model = compute.model.empty() ? "" : compute.model + ", ";
  if (compute.batch > 0) model += fmt::format("batch {}, ", compute.batch);
  table.add_row(
      {"model",
       fmt::format(
           "{}{} in {} buckets",
           model,
           human_bytes(bytes),
           compute.bucket_bytes.size())});
  table.add_row(
      {"compute",
       fmt::format(
           "{} a step, update {}",
           time_text(compute.mean_seconds()),
           time_text(compute.update_seconds_per_byte * bytes))});
  table.add_row({"inside a node", level_text(costs.inside)});
  table.add_row(
      {"between nodes",
       level_text(costs.between) +
           (query.packing && costs.between ? ", packed" : "")});
  if (query.slow.slows()) {
    table.add_row({"slow", format_slow(query.slow)});
  }
  return table.text();
}

std::string predictions_text(std::span<const Prediction> predictions) {
  std::map<int, std::vector<const Prediction*>> by_n;
  for (const Prediction& row : predictions) {
    if (row.impossible.empty()) by_n[row.n()].push_back(&row);
  }
  std::string text;
  for (const auto& [n, rows] : by_n)
    text += fmt::format("\n{}\n{}", workers_text(n), table_of(rows));
  return text + impossible_text(predictions);
}

std::string recommendation_text(const sim::Recommendation& it) {
  std::string text = fmt::format(
      "\n{}, links of {}\n",
      workers_text(it.n),
      sim::rate_text(it.rate));
  for (const std::string& sentence : it.sentences)
    text += fmt::format("  {}\n", sentence);
  return text;
}

void write_plan_page(
    const std::filesystem::path& file,
    const sim::Query& query,
    std::span<const Prediction> predictions,
    const std::vector<sim::Recommendation>& recommendations) {
  using Json = nlohmann::ordered_json;
  Json plan = to_json(predictions);
  plan["question"] = to_json(query);
  plan["sweeps"] = Json::array();
  plan["recommendations"] = Json::array();
  for (const sim::Recommendation& it : recommendations) {
    plan["sweeps"].push_back(sweep_json(it));
    plan["recommendations"].push_back(to_json(it));
  }
  const std::string& model = query.costs.compute.model;
  const Json data = {
      {"format_version", 1},
      {"title", model.empty() ? "Plan" : fmt::format("Plan for {}", model)},
      {"created",
       fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))},
      {"program", fmt::format("grapevine {}", kVersion)},
      {"plan", plan}};
  record::write_atomically(file, report::make_page(data.dump()));
}

} // namespace grapevine::cli
