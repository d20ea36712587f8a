#include "cli/console.h"
#include "cli/interrupt.h"
#include "cli/one_of_many.h"
#include "cli/prepare.h"
#include "cli/program.h"
#include "cli/progress.h"
#include "cli/run_text.h"
#include "cli/spec_flags.h"
#include "cli/verb.h"
#include "net/launch_environment.h"
#include "run/trainer.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace grapevine::cli {
namespace {

class TrainVerb : public Verb {
 public:
  void declare(CLI::App& app) override {
    app.add_option("SPEC", file_, "TOML file; flags override it");
    app.add_flag("--quiet", quiet_, "no progress");
    flags_.declare(app);
    app.footer(names_footer());
  }

  int run(bool json) override {
    const auto environment = net::read_launch_environment();
    spec::Spec spec;
    return run_together(
        environment,
        [&] { spec = load(environment).spec; },
        [&] { return train_and_print(spec, environment, json); });
  }

 private:
  spec::ParsedSpec load(const net::LaunchEnvironment& environment) {
    spec::ParsedSpec parsed = spec::parse_spec(
        file_.empty() ? "" : read_spec_file(file_),
        file_,
        flags_.given());
    prepare(parsed, environment);
    return parsed;
  }

  int train_and_print(
      const spec::Spec& spec,
      const net::LaunchEnvironment& environment,
      bool json) {
    const bool reports = run::is_reporting_process(spec, environment);
    const bool quiet = quiet_ || !reports;
    if (!quiet && stderr_is_terminal()) print_line(spec_summary(spec));
    ProgressView view("", quiet);
    run::TrainHooks hooks = view.hooks();
    hooks.interrupt = &interrupt_flag(reports);
    hooks.on_result = [&](const run::TrainResult& result) {
      view.clear();
      if (json) {
        print_json(to_json(result));
      } else {
        print_text(result_summary(result));
      }
    };
    const auto outcome = run::train(spec, environment, hooks).outcome;
    return outcome == run::Outcome::kCompleted ? kDone : kFailed;
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
