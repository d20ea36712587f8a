#include "cli/plan_text.h"

#include "cli/table.h"
#include "cli/units.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
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
  const auto central = std::ranges::find_if(rows, [](const Prediction* row) {
    return row->candidate.is_all_reduce();
  });
  const double all_reduce =
      central == rows.end() ? 0 : (*central)->times.seconds;
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
    const sim::Candidate& candidate = row->candidate;
    table.add_row(
        {candidate.algorithm,
         candidate.is_all_reduce() ? "" : candidate.graph_label(),
         time_text(row->times.seconds),
         time_text(row->times.compute),
         time_text(row->times.exposed),
         time_text(row->times.straggler),
         all_reduce > 0
             ? fmt::format("{:.2f} x", all_reduce / row->times.seconds)
             : "–",
         row->plan == "ring" ? "–" : human_number(row->copies),
         agreement_text(row->steps_to_agree)});
  }
  return table.text(2);
}

// One line for each that some n does not allow: a graph, or one algorithm on it
// where others can have it.
std::string skipped_text(const sim::Forecast& forecast) {
  std::set<std::pair<std::string, int>> had; // graphs, n
  for (const Prediction& row : forecast.rows)
    had.insert({row.candidate.graph_label(), row.candidate.graph.n});
  std::map<std::string, std::set<int>> skipped; // n by label
  for (const sim::Skipped& it : forecast.skipped) {
    const sim::Candidate& candidate = it.candidate;
    const int n = candidate.graph.n;
    const std::string graph = candidate.graph_label();
    skipped[had.count({graph, n}) > 0 ? candidate.label() : graph].insert(n);
  }
  std::string text = skipped.empty() ? "" : "\n";
  for (const auto& [label, ns] : skipped) {
    text += fmt::format(
        "not possible: {} with n = {}\n",
        label,
        fmt::join(ns, ", "));
  }
  return text;
}

} // namespace

std::string question_text(const sim::Question& question) {
  const sim::Costs costs = question.costs_with_link();
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
           (question.packing && costs.between ? ", packed" : "")});
  if (question.slow.slows()) {
    table.add_row({"slow", format_slow(question.slow)});
  }
  return table.text();
}

std::string forecast_text(const sim::Forecast& forecast) {
  std::map<int, std::vector<const Prediction*>> by_n;
  for (const Prediction& row : forecast.rows)
    by_n[row.candidate.graph.n].push_back(&row);
  std::string text;
  for (const auto& [n, rows] : by_n)
    text += fmt::format("\n{}\n{}", workers_text(n), table_of(rows));
  return text + skipped_text(forecast);
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

} // namespace grapevine::cli
