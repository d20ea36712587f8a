#include "cli/plan_measure.h"

#include "base/error.h"
#include "base/option_values.h"
#include "cli/console.h"
#include "cli/one_of_many.h"
#include "cli/plan_text.h"
#include "cli/prepare.h"
#include "cli/program.h"
#include "data/locate.h"
#include "record/atomic_file.h"
#include "run/plan_measure.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace grapevine::cli {
namespace {

constexpr const char* kDefaultOut = "costs.json";
constexpr double kDefaultSeconds = 40;
constexpr double kMostSeconds = 110; // two minutes with what comes around it

// All that says what is computed in a step, and over what the workers meet.
std::vector<std::string> measured_keys() {
  std::vector<std::string> keys = {
      "batch",
      "micro-batches",
      "optimizer",
      "transport",
      "device",
      "deadline"};
  for (const spec::SpecEntry& entry : spec::spec_table()) {
    if (entry.group == "Task" || entry.group == "Local rule") {
      keys.push_back(entry.key);
    }
  }
  return keys;
}

} // namespace

void PlanMeasure::declare(CLI::App& app) {
  flags_.declare(app, measured_keys());
  app.add_option("--out", out_, "where the costs go")
      ->type_name("FILE")
      ->default_str(kDefaultOut)
      ->group("Measure");
  app.add_option("--seconds", seconds_, "how long to measure, about")
      ->type_name("S")
      ->default_str(fmt::format("{}", kDefaultSeconds))
      ->group("Measure");
}

std::vector<std::string> PlanMeasure::given() const {
  std::vector<std::string> flags;
  for (const auto& [key, value] : flags_.given())
    flags.push_back(spec::flag_of(key));
  if (!out_.empty()) flags.push_back("--out");
  if (!seconds_.empty()) flags.push_back("--seconds");
  return flags;
}

double PlanMeasure::seconds() const {
  if (seconds_.empty()) return kDefaultSeconds;
  try {
    return parse_number(
        seconds_,
        {.least = 0, .most = kMostSeconds, .above = true});
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("--seconds: {}", error.what()));
  }
}

spec::Spec PlanMeasure::spec(const net::LaunchEnvironment& environment) const {
  spec::ParsedSpec parsed = spec::parse_spec("", "", flags_.given());
  // Any graph would do; this one fits every n.
  parsed.spec.graph = "complete";
  parsed.spec.n = environment.size;
  prepare(parsed, environment);
  return parsed.spec;
}

int PlanMeasure::run(bool json) {
  const auto environment = net::read_launch_environment();
  spec::Spec spec;
  run::PlanMeasureOptions options;
  options.data_path = data::default_data_path();
  options.on_phase = [](const std::string& phase) {
    print_line(fmt::format("measuring {}", phase));
  };
  return run_together(
      environment,
      [&] {
        spec = this->spec(environment);
        options.seconds = seconds();
      },
      [&] {
        const auto costs = run::measure_cluster(spec, environment, options);
        if (costs) keep(*costs, json);
        return kDone;
      });
}

void PlanMeasure::keep(const sim::Costs& costs, bool json) const {
  const std::string out = out_.empty() ? kDefaultOut : out_;
  record::write_atomically(out, to_json_text(costs));
  if (!costs.inside && !costs.between) {
    print_line(
        "one process alone has no links to measure: with these costs "
        "`plan predict` and `plan recommend` need --link");
  }
  sim::Query query;
  query.costs = costs;
  if (!json) {
    print_text(query_text(query) + fmt::format("\ncosts: {}\n", out));
    return;
  }
  auto document = to_json(query);
  document["file"] = out;
  document["workers"] = costs.compute.workers.size();
  document["nodes"] = costs.nodes;
  document["workers_per_node"] = costs.workers_per_node;
  print_json(document);
}

} // namespace grapevine::cli
