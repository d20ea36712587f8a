#include "base/error.h"
#include "cli/bench_plan.h"
#include "cli/console.h"
#include "cli/default_bench.h"
#include "cli/interrupt.h"
#include "cli/program.h"
#include "cli/progress.h"
#include "cli/run_summary.h"
#include "cli/spec_flags.h"
#include "cli/table.h"
#include "cli/units.h"
#include "cli/verb.h"
#include "data/data_path.h"
#include "spec/matrix.h"
#include "train/trainer.h"
#include "transport/launch_environment.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace grapevine::cli {
namespace {

class BenchVerb : public Verb {
 public:
  void declare(CLI::App& app) override {
    app.add_option("SPEC", file_, "TOML file with [matrix] or [[runs]]");
    app.add_flag("--dry-run", dry_run_, "show the runs and what they need");
    app.add_flag("--quiet", quiet_, "no progress");
    flags_.declare(app);
    app.footer(
        fmt::format("Without SPEC: {}.\n\n", kDefaultBenchName) +
        names_footer());
  }

  int run(bool json) override {
    const auto environment = transport::read_launch_environment();
    if (environment.kind != transport::LaunchEnvironment::Kind::kAlone) {
      throw ConfigError(
          "bench runs in one process: start it without a launcher");
    }
    const bool is_default = file_.empty();
    const BenchPlan plan = plan_bench(spec::parse_matrix(
        is_default ? kDefaultBench : read_spec_file(file_),
        is_default ? kDefaultBenchName : file_,
        flags_.given()));
    return dry_run_ ? show(plan, json) : run_all(plan, json);
  }

 private:
  static int show(const BenchPlan& plan, bool json) {
    auto list = nlohmann::json::array();
    Table table({"run", "steps", "parameters", "memory"});
    for (const BenchRun& run : plan.runs) {
      const train::Estimate need =
          train::estimate(run.spec, data::default_data_path());
      list.push_back(
          {{"run", run.spec.out},
           {"steps", need.steps},
           {"parameters", need.parameters},
           {"memory_bytes", need.memory_bytes}});
      table.add_row(
          {run.label,
           fmt::format("{}", need.steps),
           fmt::format("{}", need.parameters),
           human_bytes(static_cast<double>(need.memory_bytes))});
    }
    if (json) {
      print_json(nlohmann::json{{"runs", list}, {"report", nullptr}});
    } else {
      print_text(fmt::format(
          "{} runs in {}\n{}",
          plan.runs.size(),
          plan.directory,
          table.text()));
    }
    return kDone;
  }

  int run_all(const BenchPlan& plan, bool json) const {
    const std::atomic<bool>& interrupt = interrupt_flag(true);
    std::vector<RunSummary> done;
    for (const BenchRun& run : plan.runs) {
      if (interrupt) break;
      const std::string label = fmt::format(
          "[{}/{}] {}",
          done.size() + 1,
          plan.runs.size(),
          run.label);
      done.push_back(run_one(run, label, interrupt));
    }
    print_results(plan, done, json);
    const bool all_well =
        std::all_of(done.begin(), done.end(), [](const RunSummary& run) {
          return run.result.outcome == train::Outcome::kCompleted ||
                 run.result.outcome == train::Outcome::kDiverged;
        });
    return all_well && done.size() == plan.runs.size() ? kDone : kFailed;
  }

  // A run that fails is one result of many.
  RunSummary run_one(
      const BenchRun& run,
      const std::string& label,
      const std::atomic<bool>& interrupt) const {
    RunSummary summary;
    summary.spec = run.spec;
    summary.result.run = run.spec.out;
    ProgressView view(label, quiet_);
    train::TrainHooks hooks = view.hooks();
    hooks.interrupt = &interrupt;
    try {
      summary.result = train::train(run.spec, {}, hooks);
      summary.first_gini =
          read_first_gini(record::RunDirectory(summary.result.run));
    } catch (const Error& error) {
      summary.result.outcome = train::Outcome::kFailed;
      summary.error = error.what();
    }
    if (!quiet_) view.note(one_line(summary));
    return summary;
  }

  static std::string one_line(const RunSummary& summary) {
    const train::TrainResult& result = summary.result;
    if (!summary.error.empty()) return "failed: " + summary.error;
    if (result.outcome != train::Outcome::kCompleted) {
      return to_string(result.outcome);
    }
    return fmt::format(
        "accuracy {}, {}{}",
        human_percent(result.test_accuracy),
        human_seconds(result.seconds),
        result.was_stored ? " (done before)" : "");
  }

  static void print_results(
      const BenchPlan& plan,
      const std::vector<RunSummary>& done,
      bool json) {
    if (!json) {
      print_text(summary_table(done, plan.varied));
      return;
    }
    auto list = nlohmann::json::array();
    for (const RunSummary& run : done) {
      list.push_back(to_json(run, plan.varied));
    }
    print_json(nlohmann::json{{"runs", list}, {"report", nullptr}});
  }

  std::string file_;
  bool dry_run_ = false;
  bool quiet_ = false;
  SpecFlags flags_;
};

} // namespace

std::unique_ptr<Verb> make_bench_verb() {
  return std::make_unique<BenchVerb>();
}

} // namespace grapevine::cli
