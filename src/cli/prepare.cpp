#include "cli/prepare.h"

#include <fmt/format.h>
#include "algo/agreement.h"
#include "base/error.h"
#include "base/names.h"
#include "cli/model_list.h"
#include "data/source.h"

#include <algorithm>

namespace grapevine::cli {
namespace {

// "--model", "run.toml:3: model", or the key itself.
std::string place(const spec::ParsedSpec& parsed, const std::string& key) {
  const auto origin = parsed.origins.find(key);
  if (origin == parsed.origins.end()) return key;
  if (origin->second == spec::flag_of(key)) return origin->second;
  return fmt::format("{}: {}", origin->second, key);
}

void check_name(
    const spec::ParsedSpec& parsed,
    const std::string& key,
    const std::string& name,
    const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  throw ConfigError(fmt::format(
      "{}: {}",
      place(parsed, key),
      unknown_name(key, name, known)));
}

std::vector<std::string> data_names() {
  std::vector<std::string> names;
  for (const data::DataEntry& entry : data::data_table()) {
    names.push_back(entry.name);
  }
  return names;
}

void adopt_launch(
    spec::ParsedSpec& parsed,
    const net::LaunchEnvironment& environment) {
  spec::Spec& spec = parsed.spec;
  if (spec.transport.empty()) spec.transport = environment.transport;
  if (spec.transport == net::kVirtual.name) {
    if (spec.workers_per_node == 0) spec.workers_per_node = 1;
    return;
  }
  const bool alone = environment.kind == net::LaunchEnvironment::Kind::kAlone;
  const bool is_given = parsed.origins.count("n") > 0;
  if (!is_given && !alone) spec.n = environment.size;
  if (spec.n == environment.size) return;
  throw ConfigError(fmt::format(
      "{}: {} workers over {} are {} processes, but {}",
      place(parsed, is_given ? "n" : "transport"),
      spec.n,
      spec.transport,
      spec.n,
      alone ? "this one was started alone (see `grapevine launch --help`)"
            : fmt::format("{} were started", environment.size)));
}

// Whoever waits for all others cannot do without one, nor be joined again.
void check_what_a_failure_means(
    const spec::Spec& spec,
    const net::LaunchEnvironment& environment) {
  if (environment.on_failure.empty() ||
      algo::find_agreement(spec.agreement).is_asynchronous()) {
    return;
  }
  throw ConfigError(fmt::format(
      "launch --on-failure {}: with agreement {} every worker waits for others "
      "in each step, so none can go on without one; only agreement {} can "
      "(presets a2cid2, ad-psgd). Without it a failure ends the run, and the "
      "same command resumes it",
      environment.on_failure,
      spec.agreement,
      one_of(algo::agreements_that(&algo::Agreement::is_asynchronous))));
}

} // namespace

void prepare(
    spec::ParsedSpec& parsed,
    const net::LaunchEnvironment& environment) {
  adopt_launch(parsed, environment);
  if (!is_model_file(parsed.spec.model)) {
    check_name(parsed, "model", parsed.spec.model, model_names());
  }
  check_name(parsed, "data", parsed.spec.data, data_names());
  spec::validate(parsed);
  check_what_a_failure_means(parsed.spec, environment);
}

} // namespace grapevine::cli
