#include "base/error.h"
#include "cli/bench_run.h"
#include "cli/console.h"
#include "cli/interrupt.h"
#include "cli/prepare.h"
#include "cli/program.h"
#include "cli/report_text.h"
#include "cli/spec_flags.h"
#include "cli/table.h"
#include "cli/units.h"
#include "cli/verb.h"
#include "net/launch_environment.h"
#include "record/run_directory.h"
#include "spec/spec_table.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace grapevine::cli {

// The benchmark that runs when no file is given: the text of
// experiments/fashion-mnist-96.toml, put into the program when it is built.
extern const char* const kDefaultBenchName;
extern const char* const kDefaultBench;

namespace {

// "12 done before, 6 to do; 2 at once on 2 cores, about 3:05, 410 MB".
std::string totals_text(const sweep::Plan& plan, const BenchNeeds& needs) {
  const size_t to_do = runs_to_do(plan).size();
  if (to_do == 0) return "all done before";
  const sweep::Limits& limits = needs.scheduler.limits();
  std::string text = fmt::format(
      "{} done before, {} to do; {} at once on {} cores, about {}, {}",
      plan.runs.size() - to_do,
      to_do,
      needs.outlook.at_once,
      limits.cores,
      human_seconds(needs.outlook.seconds),
      human_bytes(static_cast<double>(needs.outlook.memory_bytes)));
  if (limits.memory_bytes > 0 &&
      needs.outlook.memory_bytes > limits.memory_bytes) {
    text += fmt::format(
        " of memory, more than the {} that are free",
        human_bytes(static_cast<double>(limits.memory_bytes)));
  }
  return text;
}

double seconds_of(const BenchNeeds& needs, size_t run) {
  return needs.core_seconds[run] / needs.outlook.threads;
}

std::string dry_run_text(const sweep::Plan& plan, const BenchNeeds& needs) {
  Table table({"run", "state", "steps", "parameters", "memory", "time"});
  for (size_t i = 0; i < plan.runs.size(); ++i) {
    const sweep::PlannedRun& run = plan.runs[i];
    const run::Estimate& need = needs.estimates[i];
    std::vector<std::string> cells = {run.label, to_string(run.stored.state)};
    if (run.stored.step > 0)
      cells.back() += fmt::format(" at step {}", run.stored.step);
    if (!run.is_done()) {
      cells.push_back(fmt::format("{}", need.steps));
      cells.push_back(fmt::format("{}", need.parameters));
      cells.push_back(human_bytes(static_cast<double>(need.memory_bytes)));
      cells.push_back(human_seconds(seconds_of(needs, i)));
    }
    table.add_row(std::move(cells));
  }
  return fmt::format(
      "{} runs in {}\n{}{}\n",
      plan.runs.size(),
      plan.directory,
      table.text(),
      totals_text(plan, needs));
}

// docs/cli.md has the names.
nlohmann::json dry_run_json(const sweep::Plan& plan, const BenchNeeds& needs) {
  auto runs = nlohmann::json::array();
  for (size_t i = 0; i < plan.runs.size(); ++i) {
    const sweep::PlannedRun& run = plan.runs[i];
    const run::Estimate& need = needs.estimates[i];
    nlohmann::json json = {
        {"run", run.spec.out},
        {"label", run.label},
        {"state", to_string(run.stored.state)},
        {"resume_step", run.stored.step},
        {"steps", need.steps},
        {"parameters", need.parameters},
        {"memory_bytes", need.memory_bytes},
        {"estimated_seconds", seconds_of(needs, i)},
        {"estimated_core_seconds", needs.core_seconds[i]}};
    for (const std::string& key : plan.varied) {
      if (json.contains(key)) continue;
      json[key] =
          nlohmann::json::parse(spec::find_entry(key)->get_toml(run.spec));
    }
    runs.push_back(std::move(json));
  }
  const sweep::Limits& limits = needs.scheduler.limits();
  return {
      {"runs", runs},
      {"report", nullptr},
      {"directory", plan.directory},
      {"to_do", runs_to_do(plan).size()},
      {"jobs", needs.outlook.at_once},
      {"cores", limits.cores},
      {"estimated_seconds", needs.outlook.seconds},
      {"memory_bytes", needs.outlook.memory_bytes},
      {"memory_limit_bytes", limits.memory_bytes}};
}

class BenchVerb : public Verb {
 public:
  void declare(CLI::App& app) override {
    app.add_option("SPEC", file_, "TOML file with [matrix] or [[runs]]");
    app.add_option("--jobs", jobs_, "runs at once; 0 = as the machine allows")
        ->type_name("J")
        ->check(CLI::Range(0, kMostJobs));
    app.add_flag("--dry-run", dry_run_, "show the runs and what they need");
    app.add_flag("--quiet", quiet_, "no progress");
    flags_.declare(app);
    app.footer(
        fmt::format("Without SPEC: {}.\n\n", kDefaultBenchName) +
        names_footer());
  }

  int run(bool json) override {
    const auto environment = net::read_launch_environment();
    if (environment.kind != net::LaunchEnvironment::Kind::kAlone) {
      throw ConfigError(
          "bench runs in one process: start it without a launcher");
    }
    const bool is_default = file_.empty();
    const std::string name = is_default ? kDefaultBenchName : file_;
    const std::string text = is_default ? kDefaultBench : read_spec_file(file_);
    const sweep::Plan plan = sweep::make_plan(
        spec::parse_matrix(text, name, flags_.given()),
        name,
        [](spec::ParsedSpec& parsed) { prepare(parsed, {}); });
    if (record::RunDirectory(plan.directory).exists()) {
      throw ConfigError(fmt::format(
          "--out {} is itself a run directory; bench needs a parent directory "
          "for its runs",
          plan.directory));
    }
    const BenchNeeds needs = find_needs(plan, jobs_);
    return dry_run_ ? show(plan, needs, json) : run_all(plan, needs, json);
  }

 private:
  static constexpr int kMostJobs = 4096;

  static int show(const sweep::Plan& plan, const BenchNeeds& needs, bool json) {
    if (json) {
      print_json(dry_run_json(plan, needs));
    } else {
      print_text(dry_run_text(plan, needs));
    }
    return kDone;
  }

  int run_all(const sweep::Plan& plan, const BenchNeeds& needs, bool json)
      const {
    const std::atomic<bool>& interrupt = interrupt_flag(false);
    if (!quiet_) {
      print_line(fmt::format(
          "{} runs in {}: {}",
          plan.runs.size(),
          plan.directory,
          totals_text(plan, needs)));
    }
    const BenchResults results = run_bench(plan, needs, interrupt, quiet_);
    print_results(plan, results, json);
    if (interrupt) {
      print_line(fmt::format(
          "interrupted; run the same command{} again to resume",
          plan.runs.front().spec.fresh ? " without --fresh" : ""));
    }
    return results.all_done ? kDone : kFailed;
  }

  static void print_results(
      const sweep::Plan& plan,
      const BenchResults& results,
      bool json) {
    const auto& page = results.report.page;
    if (!json) {
      std::string text = summary_table(results.summaries, plan.varied) +
                         report_text(results.report.data);
      if (page) text += fmt::format("\nreport: {}\n", page->string());
      print_text(text);
      return;
    }
    auto list = nlohmann::json::array();
    for (const RunSummary& run : results.summaries)
      list.push_back(to_json(run, plan.varied));
    print_json(nlohmann::json{
        {"runs", list},
        {"report", page ? nlohmann::json(page->string()) : nlohmann::json()}});
  }

  std::string file_;
  int jobs_ = 0;
  bool dry_run_ = false;
  bool quiet_ = false;
  SpecFlags flags_;
};

} // namespace

std::unique_ptr<Verb> make_bench_verb() {
  return std::make_unique<BenchVerb>();
}

} // namespace grapevine::cli
