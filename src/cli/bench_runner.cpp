#include "cli/bench_runner.h"

#include "base/error.h"
#include "cli/sweep_view.h"
#include "cli/units.h"
#include "record/run_lock.h"
#include "run/trainer.h"
#include "sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace grapevine::cli {
namespace {

using sweep::Ending;
using sweep::Outcome;

constexpr const char* kLocked = "another process is at work on it";

std::string last_words(const RunSummary& summary) {
  const run::TrainResult& result = summary.result;
  if (!summary.error.empty()) return "failed: " + summary.error;
  if (result.outcome != run::Outcome::kCompleted) {
    return to_string(result.outcome);
  }
  return fmt::format(
      "{}, {}{}",
      quality_text(result.test_accuracy, result.test_perplexity),
      human_seconds(result.seconds),
      result.was_stored ? " (done meanwhile)" : "");
}

std::vector<SweepViewRun> view_of(
    const BenchPlan& plan,
    const BenchNeeds& needs) {
  std::vector<SweepViewRun> runs;
  for (size_t i = 0; i < plan.runs.size(); ++i) {
    const BenchRun& run = plan.runs[i];
    const double all = needs.core_seconds[i];
    const double last = needs.estimates[i].final_core_seconds;
    runs.push_back(
        {.label = run.label,
         .is_done = run.stored.state == sweep::State::kDone,
         .core_seconds = all,
         .first_step = run.stored.step,
         .final_part = all > 0 ? std::clamp(last / all, 0.0, 1.0) : 0});
  }
  return runs;
}

class Runner {
 public:
  Runner(
      const BenchPlan& plan,
      const BenchNeeds& needs,
      const std::atomic<bool>& interrupt,
      bool quiet)
      : plan_(plan),
        view_(view_of(plan, needs), quiet, interrupt),
        summaries_(plan.runs.size()),
        was_locked_(plan.runs.size()) {}

  BenchResults go(
      sweep::Scheduler scheduler,
      const std::atomic<bool>& interrupt) {
    sweep::SweepOptions options;
    options.interrupt = &interrupt;
    auto endings = sweep::run_sweep(
        std::move(scheduler),
        plan_.runs.size(),
        [this](size_t run, int threads) { return run_one(run, threads); },
        options,
        view_.events());
    read_stored(endings);
    BenchResults results;
    results.all_done = std::ranges::all_of(endings, [](const Ending& ending) {
      return ending.outcome == Outcome::kDone;
    });
    for (auto& summary : summaries_) {
      if (summary) results.summaries.push_back(std::move(*summary));
    }
    return results;
  }

 private:
  // On a thread of its own; touches nothing of the other runs.
  Ending run_one(size_t index, int threads) {
    const BenchRun& run = plan_.runs[index];
    RunSummary& summary = summaries_[index].emplace();
    summary.spec = run.spec;
    summary.result.run = run.spec.out;
    Ending ending{Outcome::kDone, ""};
    // A look that costs nothing, once it is known that somebody is there.
    const bool stays_locked =
        was_locked_[index].value && record::is_locked(run.spec.out);
    if (stays_locked) {
      ending.outcome = Outcome::kLocked;
    } else {
      ending = train(index, threads, summary);
    }
    if (ending.outcome == Outcome::kLocked) {
      was_locked_[index].value = true;
      summary.result.outcome = run::Outcome::kInterrupted;
      summary.error = kLocked;
      view_.set_last_words(index, kLocked);
    } else {
      view_.set_last_words(index, last_words(summary));
    }
    return ending;
  }

  Ending train(size_t index, int threads, RunSummary& summary) {
    spec::Spec spec = plan_.runs[index].spec;
    spec.threads = threads;
    try {
      summary.result = run::train(spec, {}, view_.hooks(index));
    } catch (const record::RunIsLocked&) {
      return {Outcome::kLocked, ""};
    } catch (const std::exception& error) {
      summary.result.outcome = run::Outcome::kFailed;
      summary.error = error.what();
      return {Outcome::kFailed, summary.error};
    }
    try {
      summary.first_gini =
          read_first_gini(record::RunDirectory(summary.result.run));
    } catch (const Error&) {
      // A column of the table stays empty; the run itself is well.
    }
    const bool interrupted =
        summary.result.outcome == run::Outcome::kInterrupted;
    return {interrupted ? Outcome::kInterrupted : Outcome::kDone, ""};
  }

  // Those that were done before the sweep began.
  void read_stored(std::vector<Ending>& endings) {
    for (size_t i = 0; i < plan_.runs.size(); ++i) {
      const BenchRun& run = plan_.runs[i];
      if (run.stored.state != sweep::State::kDone) continue;
      RunSummary& summary = summaries_[i].emplace();
      summary.spec = run.spec;
      summary.result.run = run.spec.out;
      try {
        summary = read_summary(record::RunDirectory(run.spec.out));
        summary.spec = run.spec;
        summary.result.run = run.spec.out;
        summary.result.was_stored = true;
        endings[i].outcome = Outcome::kDone;
      } catch (const std::exception& error) {
        summary.result.outcome = run::Outcome::kFailed;
        summary.error = error.what();
        endings[i] = {Outcome::kFailed, error.what()};
      }
    }
  }

  // Not a bool of std::vector<bool>, whose neighbours share a byte.
  struct Flag {
    bool value = false;
  };

  const BenchPlan& plan_;
  SweepView view_;
  std::vector<std::optional<RunSummary>> summaries_;
  std::vector<Flag> was_locked_;
};

} // namespace

BenchResults run_bench(
    const BenchPlan& plan,
    const BenchNeeds& needs,
    const std::atomic<bool>& interrupt,
    bool quiet) {
  Runner runner(plan, needs, interrupt, quiet);
  return runner.go(make_scheduler(plan, needs), interrupt);
}

} // namespace grapevine::cli
