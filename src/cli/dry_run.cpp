#include "cli/dry_run.h"

#include "cli/table.h"
#include "cli/units.h"
#include "spec/spec_table.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace grapevine::cli {
namespace {

sweep::Forecast forecast_of(const BenchPlan& plan, const BenchNeeds& needs) {
  return sweep::forecast(make_scheduler(plan, needs), needs.core_seconds);
}

bool is_done(const BenchRun& run) {
  return run.stored.state == sweep::State::kDone;
}

// "to resume at step 57".
std::string state_text(const BenchRun& run) {
  std::string text = to_string(run.stored.state);
  if (run.stored.state == sweep::State::kToResume) {
    text += fmt::format(" at step {}", run.stored.step);
  }
  return text;
}

std::string totals_text(
    const BenchPlan& plan,
    const BenchNeeds& needs,
    const sweep::Forecast& forecast) {
  const size_t to_do = runs_to_do(plan).size();
  if (to_do == 0) return "all done before";
  std::string text = fmt::format(
      "{} done before, {} to do; {} at once on {} cores, about {}, {}",
      plan.runs.size() - to_do,
      to_do,
      forecast.most_at_once,
      needs.limits.cores,
      human_seconds(forecast.seconds),
      human_bytes(static_cast<double>(forecast.peak_memory_bytes)));
  const int64_t limit = needs.limits.memory_bytes;
  if (limit > 0 && forecast.peak_memory_bytes > limit) {
    text += fmt::format(
        " of memory, more than the {} that are free",
        human_bytes(static_cast<double>(limit)));
  }
  return text;
}

nlohmann::json run_json(
    const BenchPlan& plan,
    const BenchNeeds& needs,
    const sweep::Forecast& forecast,
    size_t index) {
  const BenchRun& run = plan.runs[index];
  const run::Estimate& need = needs.estimates[index];
  nlohmann::json json = {
      {"run", run.spec.out},
      {"label", run.label},
      {"state", to_string(run.stored.state)},
      {"resume_step", run.stored.step},
      {"steps", need.steps},
      {"parameters", need.parameters},
      {"memory_bytes", need.memory_bytes},
      {"estimated_seconds", forecast.end[index] - forecast.begin[index]},
      {"estimated_core_seconds", needs.core_seconds[index]}};
  for (const std::string& key : plan.varied) {
    if (json.contains(key)) continue;
    json[key] =
        nlohmann::json::parse(spec::find_entry(key)->get_toml(run.spec));
  }
  return json;
}

} // namespace

std::string plan_line(const BenchPlan& plan, const BenchNeeds& needs) {
  return fmt::format(
      "{} runs in {}: {}",
      plan.runs.size(),
      plan.directory,
      totals_text(plan, needs, forecast_of(plan, needs)));
}

std::string dry_run_text(const BenchPlan& plan, const BenchNeeds& needs) {
  const sweep::Forecast forecast = forecast_of(plan, needs);
  Table table({"run", "state", "steps", "parameters", "memory", "time"});
  for (size_t i = 0; i < plan.runs.size(); ++i) {
    const BenchRun& run = plan.runs[i];
    if (is_done(run)) {
      table.add_row({run.label, state_text(run)});
      continue;
    }
    const run::Estimate& need = needs.estimates[i];
    table.add_row(
        {run.label,
         state_text(run),
         fmt::format("{}", need.steps),
         fmt::format("{}", need.parameters),
         human_bytes(static_cast<double>(need.memory_bytes)),
         human_seconds(forecast.end[i] - forecast.begin[i])});
  }
  return fmt::format(
      "{} runs in {}\n{}{}\n",
      plan.runs.size(),
      plan.directory,
      table.text(),
      totals_text(plan, needs, forecast));
}

nlohmann::json dry_run_json(const BenchPlan& plan, const BenchNeeds& needs) {
  const sweep::Forecast forecast = forecast_of(plan, needs);
  auto runs = nlohmann::json::array();
  for (size_t i = 0; i < plan.runs.size(); ++i)
    runs.push_back(run_json(plan, needs, forecast, i));
  return {
      {"runs", runs},
      {"report", nullptr},
      {"directory", plan.directory},
      {"to_do", runs_to_do(plan).size()},
      {"jobs", forecast.most_at_once},
      {"cores", needs.limits.cores},
      {"estimated_seconds", forecast.seconds},
      {"memory_bytes", forecast.peak_memory_bytes},
      {"memory_limit_bytes", needs.limits.memory_bytes}};
}

} // namespace grapevine::cli
