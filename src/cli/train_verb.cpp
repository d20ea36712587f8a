#include "base/error.h"
#include "cli/console.h"
#include "cli/interrupt.h"
#include "cli/prepare.h"
#include "cli/program.h"
#include "cli/progress.h"
#include "cli/run_text.h"
#include "cli/spec_flags.h"
#include "cli/verb.h"
#include "train/trainer.h"
#include "transport/launch_environment.h"
#include "transport/transports.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstdlib>

namespace grapevine::cli {
namespace {

using Kind = transport::LaunchEnvironment::Kind;

// Ends one process of several without a destructor or handler that could wait
// for the others.
[[noreturn]] void leave(int exit_code) {
  std::fflush(nullptr);
  transport::abandon_mpi(exit_code);
  std::_Exit(exit_code);
}

class TrainVerb : public Verb {
 public:
  void declare(CLI::App& app) override {
    app.add_option("SPEC", file_, "TOML file; flags override it");
    app.add_flag("--quiet", quiet_, "no progress");
    flags_.declare(app);
    app.footer(names_footer());
  }

  int run(bool json) override {
    const auto environment = transport::read_launch_environment();
    if (environment.kind == Kind::kAlone) return run_alone(json, environment);
    return run_as_one_of_many(json, environment);
  }

 private:
  spec::ParsedSpec load(const transport::LaunchEnvironment& environment) {
    spec::ParsedSpec parsed = spec::parse_spec(
        file_.empty() ? "" : read_spec_file(file_),
        file_,
        flags_.given());
    prepare(parsed, environment);
    return parsed;
  }

  int run_alone(bool json, const transport::LaunchEnvironment& environment) {
    const spec::Spec spec = load(environment).spec;
    return train_and_print(spec, environment, json);
  }

  // A wrong command is wrong for all, so one process says it; what happens
  // later may happen to one alone, so each speaks for itself.
  int run_as_one_of_many(
      bool json,
      const transport::LaunchEnvironment& environment) {
    spec::Spec spec;
    try {
      spec = load(environment).spec;
    } catch (const ConfigError&) {
      if (environment.rank == 0) throw;
      return kWrongCommand;
    }
    try {
      return train_and_print(spec, environment, json);
    } catch (const std::exception& error) {
      print_line(fmt::format(
          "grapevine: worker {}: {}",
          environment.rank,
          error.what()));
      const bool is_config =
          dynamic_cast<const ConfigError*>(&error) != nullptr;
      leave(is_config ? kWrongCommand : kFailed);
    }
  }

  int train_and_print(
      const spec::Spec& spec,
      const transport::LaunchEnvironment& environment,
      bool json) {
    const bool reports = train::is_reporting_process(spec, environment);
    const bool quiet = quiet_ || !reports;
    if (!quiet && stderr_is_terminal()) print_line(spec_summary(spec));
    const train::TrainResult result = watch(spec, environment, quiet, reports);
    if (reports && json) {
      print_json(to_json(result));
    } else if (reports) {
      print_text(result_summary(result));
    }
    return result.outcome == train::Outcome::kCompleted ? kDone : kFailed;
  }

  static train::TrainResult watch(
      const spec::Spec& spec,
      const transport::LaunchEnvironment& environment,
      bool quiet,
      bool announce) {
    ProgressView view("", quiet);
    train::TrainHooks hooks = view.hooks();
    hooks.interrupt = &interrupt_flag(announce);
    return train::train(spec, environment, hooks);
  }

  std::string file_;
  bool quiet_ = false;
  SpecFlags flags_;
};

} // namespace

std::unique_ptr<Verb> make_train_verb() {
  return std::make_unique<TrainVerb>();
}

} // namespace grapevine::cli
