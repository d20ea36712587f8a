#include "base/error.h"
#include "cli/bench_needs.h"
#include "cli/bench_plan.h"
#include "cli/bench_report.h"
#include "cli/bench_runner.h"
#include "cli/console.h"
#include "cli/default_bench.h"
#include "cli/dry_run.h"
#include "cli/interrupt.h"
#include "cli/program.h"
#include "cli/report_text.h"
#include "cli/run_summary.h"
#include "cli/spec_flags.h"
#include "cli/verb.h"
#include "net/launch_environment.h"
#include "record/run_directory.h"
#include "spec/matrix.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace grapevine::cli {
namespace {

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
    const BenchPlan plan =
        plan_bench(spec::parse_matrix(text, name, flags_.given()), name);
    if (record::RunDirectory(plan.directory).exists()) {
      throw ConfigError(fmt::format(
          "--out {} holds a run; those of a bench lie in a directory that is "
          "none",
          plan.directory));
    }
    const BenchNeeds needs = find_needs(plan, jobs_);
    return dry_run_ ? show(plan, needs, json) : run_all(plan, needs, json);
  }

 private:
  static constexpr int kMostJobs = 4096;

  static int show(const BenchPlan& plan, const BenchNeeds& needs, bool json) {
    if (json) {
      print_json(dry_run_json(plan, needs));
    } else {
      print_text(dry_run_text(plan, needs));
    }
    return kDone;
  }

  int run_all(const BenchPlan& plan, const BenchNeeds& needs, bool json) const {
    const std::atomic<bool>& interrupt = interrupt_flag(false);
    if (!quiet_) print_line(plan_line(plan, needs));
    const BenchResults results = run_bench(plan, needs, interrupt, quiet_);
    const report::ReportResult report = write_bench_report(plan);
    print_results(plan, results.summaries, report, json);
    if (interrupt) {
      const bool is_fresh = plan.runs.front().spec.fresh;
      print_line(fmt::format(
          "interrupted; the same command{} goes on where this one ended",
          is_fresh ? " without --fresh" : ""));
    }
    return results.all_done ? kDone : kFailed;
  }

  static void print_results(
      const BenchPlan& plan,
      const std::vector<RunSummary>& summaries,
      const report::ReportResult& report,
      bool json) {
    const auto& page = report.page;
    if (!json) {
      std::string text =
          summary_table(summaries, plan.varied) + report_text(report.data);
      if (page) text += fmt::format("\nreport: {}\n", page->string());
      print_text(text);
      return;
    }
    auto list = nlohmann::json::array();
    for (const RunSummary& run : summaries)
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
