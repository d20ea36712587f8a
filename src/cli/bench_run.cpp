#include "cli/bench_run.h"

#include "base/error.h"
#include "cli/sweep_view.h"
#include "cli/units.h"
#include "cli/version.h"
#include "data/locate.h"
#include "record/run_directory.h"
#include "record/run_lock.h"
#include "report/page.h"
#include "run/trainer.h"
#include "sweep/machine.h"
#include "sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

namespace grapevine::cli {
namespace {

using sweep::Ending;
using sweep::Outcome;

constexpr const char* kLocked = "another process is at work on it";
// Estimates are not exact, and other programs want memory too.
constexpr double kMemoryShare = 0.8;

double part_left(const sweep::PlannedRun& run, const run::Estimate& estimate) {
  if (estimate.steps <= 0) return 1;
  const double done = static_cast<double>(run.stored.step) /
                      static_cast<double>(estimate.steps);
  return std::clamp(1 - done, 0.0, 1.0);
}

sweep::Scheduler make_scheduler(
    const sweep::Plan& plan,
    const std::vector<run::Estimate>& estimates,
    const sweep::Limits& limits) {
  const std::vector<size_t> to_do = runs_to_do(plan);
  const int at_once = std::clamp(
      limits.jobs > 0 ? limits.jobs : limits.cores,
      1,
      std::max(1, static_cast<int>(to_do.size())));
  // As if all runs were alike.
  const int share = std::max(1, limits.cores / at_once);
  std::vector<sweep::Need> needs;
  for (size_t i = 0; i < plan.runs.size(); ++i) {
    const int wanted = plan.runs[i].spec.threads;
    const int threads = wanted > 0 ? wanted : share;
    needs.push_back(
        {estimates[i].memory_bytes + (threads - 1) * estimates[i].thread_bytes,
         wanted});
  }
  return {std::move(needs), to_do, limits};
}

std::string result_text(const run::TrainResult& result) {
  if (result.outcome != run::Outcome::kCompleted) {
    return to_string(result.outcome);
  }
  return fmt::format(
      "{}, {}{}",
      quality_text(result.test_accuracy, result.test_perplexity),
      human_seconds(result.seconds),
      result.was_stored ? " (done meanwhile)" : "");
}

// One run, on a thread of its own; touches nothing of the other runs.
Ending train(
    const spec::Spec& planned,
    int threads,
    const run::TrainHooks& hooks,
    std::string& last_words) {
  spec::Spec spec = planned;
  spec.threads = threads;
  try {
    const run::TrainResult result = run::train(spec, {}, hooks);
    last_words = result_text(result);
    const bool interrupted = result.outcome == run::Outcome::kInterrupted;
    return {interrupted ? Outcome::kInterrupted : Outcome::kDone, ""};
  } catch (const record::RunIsLocked&) {
    last_words = kLocked;
    return {Outcome::kLocked, ""};
  } catch (const std::exception& error) {
    last_words = fmt::format("failed: {}", error.what());
    return {Outcome::kFailed, error.what()};
  }
}

std::vector<Ending> train_all(
    const sweep::Plan& plan,
    const BenchNeeds& needs,
    const std::atomic<bool>& interrupt,
    bool quiet) {
  SweepView view(plan, needs.core_seconds, quiet, interrupt);
  std::vector<std::atomic<bool>> was_locked(plan.runs.size());
  const auto run_one = [&](size_t index, int threads) {
    const spec::Spec& spec = plan.runs[index].spec;
    // Asking costs nothing, once it is known that another process is there.
    if (was_locked[index] && record::is_locked(spec.out)) {
      return Ending{Outcome::kLocked, ""};
    }
    std::string last_words;
    Ending ending = train(spec, threads, view.hooks(index), last_words);
    was_locked[index] = ending.outcome == Outcome::kLocked;
    view.set_last_words(index, last_words);
    return ending;
  };
  sweep::SweepOptions options;
  options.interrupt = &interrupt;
  auto endings = sweep::run_sweep(
      needs.scheduler,
      plan.runs.size(),
      run_one,
      options,
      view.events());
  for (size_t i = 0; i < plan.runs.size(); ++i) {
    if (plan.runs[i].is_done()) endings[i].outcome = Outcome::kDone;
  }
  return endings;
}

report::ReportResult write_bench_report(const sweep::Plan& plan) {
  std::vector<std::filesystem::path> runs;
  for (const sweep::PlannedRun& run : plan.runs) {
    if (record::RunDirectory(run.spec.out).exists()) {
      runs.emplace_back(run.spec.out);
    }
  }
  report::ReportOptions options;
  options.title = plan.title;
  options.program = fmt::format("grapevine {}", kVersion);
  if (report::has_page()) {
    options.html = std::filesystem::path(plan.directory) / "report.html";
  }
  return report::write_report(runs, options);
}

// Of a run that was started: what its directory says, and how it ended. A
// directory that cannot be read is a failure.
RunSummary summarize(
    const sweep::PlannedRun& run,
    const report::RunData* data,
    Ending& ending) {
  RunSummary summary;
  if (data != nullptr) {
    summary = summary_of(*data);
  } else if (ending.outcome == Outcome::kDone) {
    ending = {Outcome::kFailed, "its directory cannot be read"};
  }
  summary.spec = run.spec;
  summary.result.run = run.spec.out;
  summary.is_running = false;
  if (ending.outcome == Outcome::kFailed) {
    summary.result.outcome = run::Outcome::kFailed;
    summary.error = ending.error;
  } else if (ending.outcome == Outcome::kLocked) {
    summary.result.outcome = run::Outcome::kInterrupted;
    summary.error = kLocked;
  }
  return summary;
}

} // namespace

BenchNeeds find_needs(const sweep::Plan& plan, int jobs) {
  const sweep::Limits limits{
      .cores = sweep::available_cores(),
      .jobs = jobs,
      .memory_bytes = static_cast<int64_t>(
          kMemoryShare * static_cast<double>(sweep::available_memory()))};
  std::vector<run::Estimate> estimates(plan.runs.size());
  std::vector<double> core_seconds(plan.runs.size());
  run::Estimator estimator(
      {.data_path = data::default_data_path(), .cores = limits.cores});
  for (const size_t run : runs_to_do(plan)) {
    estimates[run] = estimator.estimate(plan.runs[run].spec);
    core_seconds[run] =
        estimates[run].core_seconds * part_left(plan.runs[run], estimates[run]);
  }
  sweep::Scheduler scheduler = make_scheduler(plan, estimates, limits);
  sweep::Outlook outlook = sweep::look_ahead(scheduler, core_seconds);
  for (const run::Estimate& estimate : estimates) {
    outlook.memory_bytes =
        std::max(outlook.memory_bytes, estimate.memory_bytes);
  }
  return {
      std::move(estimates),
      std::move(core_seconds),
      std::move(scheduler),
      outlook};
}

BenchResults run_bench(
    const sweep::Plan& plan,
    const BenchNeeds& needs,
    const std::atomic<bool>& interrupt,
    bool quiet) {
  std::vector<Ending> endings = train_all(plan, needs, interrupt, quiet);
  BenchResults results{.report = write_bench_report(plan)};
  std::map<std::string, const report::RunData*> data;
  for (const report::RunData& run : results.report.data.set.runs)
    data[run.path] = &run;
  for (size_t i = 0; i < plan.runs.size(); ++i) {
    if (endings[i].outcome == Outcome::kNotStarted) continue;
    const auto found = data.find(plan.runs[i].spec.out);
    results.summaries.push_back(summarize(
        plan.runs[i],
        found == data.end() ? nullptr : found->second,
        endings[i]));
  }
  results.all_done = std::ranges::all_of(endings, [](const Ending& ending) {
    return ending.outcome == Outcome::kDone;
  });
  return results;
}

} // namespace grapevine::cli
