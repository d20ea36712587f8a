#include "cli/prepare.h"

#include <fmt/format.h>
#include "algo/agreement.h"
#include "base/error.h"
#include "base/names.h"
#include "cli/model_list.h"
#include "data/source.h"

namespace grapevine::cli {
namespace {

void check_name(
    const spec::ParsedSpec& parsed,
    const std::string& key,
    const std::string& name,
    const std::vector<std::string>& known) {
  try {
    check_choice(key, name, known);
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format(
        "{}: {}",
        spec::place_of(parsed.origins, key),
        error.what()));
  }
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
      spec::place_of(parsed.origins, is_given ? "n" : "transport"),
      spec.n,
      spec.transport,
      spec.n,
      alone ? "this one was started alone (see `grapevine launch --help`)"
            : fmt::format("{} were started", environment.size)));
}

// A synchronous worker needs all others in each step.
void check_what_a_failure_means(
    const spec::Spec& spec,
    const net::LaunchEnvironment& environment) {
  if (environment.on_failure.empty() ||
      algo::find_agreement(spec.agreement).is_asynchronous()) {
    return;
  }
  throw ConfigError(fmt::format(
      "launch --on-failure {}: agreement {} is synchronous, so a run cannot "
      "continue without a worker; only agreement {} can (presets a2cid2, "
      "ad-psgd). Without this option a failure ends the run, and the same "
      "command resumes it",
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
  check_name(parsed, "data", parsed.spec.data, names_of(data::data_table()));
  spec::validate(parsed);
  check_what_a_failure_means(parsed.spec, environment);
}

} // namespace grapevine::cli
