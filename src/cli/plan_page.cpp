#include "cli/plan_page.h"

#include "cli/version.h"
#include "record/atomic_file.h"
#include "report/page.h"
#include "sim/plan_json.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <ctime>

namespace grapevine::cli {

void write_plan_page(
    const std::filesystem::path& file,
    const sim::Question& question,
    const sim::Forecast& forecast,
    const std::vector<sim::Recommendation>& recommendations) {
  using Json = nlohmann::ordered_json;
  Json plan = to_json(forecast);
  plan["question"] = to_json(question);
  plan["sweeps"] = Json::array();
  plan["recommendations"] = Json::array();
  for (const sim::Recommendation& it : recommendations) {
    plan["sweeps"].push_back(to_json(it.sweep));
    plan["recommendations"].push_back(to_json(it, forecast));
  }
  const std::string& model = question.costs.compute.model;
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
