#include "cli/plan_text.h"

#include "cli/table.h"
#include "cli/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace grapevine::cli {
namespace {

using planner::Prediction;
using planner::time_text;

std::string level_text(const std::optional<runtime::Level>& level) {
  if (!level) return "not known";
  const double rate = std::min(level->bandwidth, level->shared);
  return fmt::format(
      "{}, latency {}",
      std::isfinite(rate) ? human_bytes(rate) + "/s" : "unlimited",
      time_text(level->latency));
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
    const planner::Candidate& candidate = row->candidate;
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
         row->steps_to_agree > 0
             ? fmt::format("{:.0f} steps", std::ceil(row->steps_to_agree))
             : "always"});
  }
  return table.text(2);
}

} // namespace

std::string question_text(const planner::Question& question) {
  const runtime::Costs costs = question.costs_with_link();
  const runtime::Compute& compute = costs.compute;
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
  table.add_row({"between nodes", level_text(costs.between)});
  if (question.slow.slows()) {
    table.add_row({"slow", transport::format_slow(question.slow)});
  }
  return table.text();
}

std::string forecast_text(const planner::Forecast& forecast) {
  std::map<int, std::vector<const Prediction*>> by_n;
  for (const Prediction& row : forecast.rows)
    by_n[row.candidate.graph.n].push_back(&row);
  std::string text;
  for (const auto& [n, rows] : by_n)
    text += fmt::format("\n{} workers\n{}", n, table_of(rows));
  std::map<std::string, std::vector<std::string>> skipped; // n by label
  for (const planner::Skipped& it : forecast.skipped) {
    auto& ns = skipped[it.candidate.graph_label()];
    const std::string n = fmt::format("{}", it.candidate.graph.n);
    if (std::ranges::count(ns, n) == 0) ns.push_back(n);
  }
  for (const auto& [label, ns] : skipped) {
    text += fmt::format(
        "{}not possible: {} with n = {}\n",
        text.ends_with("\n\n") ? "" : "\n",
        label,
        fmt::join(ns, ", "));
  }
  return text;
}

std::string recommendation_text(const planner::Recommendation& it) {
  std::string text = fmt::format(
      "\n{} workers, links of {}\n",
      it.n,
      planner::rate_text(it.rate));
  for (const std::string& sentence : it.sentences)
    text += fmt::format("  {}\n", sentence);
  return text;
}

} // namespace grapevine::cli
