#include "report/load.h"

#include "base/thread_pool.h"
#include "record/metrics/metric.h"
#include "report/run_header.h"
#include "report/run_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <numeric>
#include <thread>

namespace grapevine::report {
namespace {

namespace fs = std::filesystem;

// First seeds of all groups, then second ones, and so on.
std::vector<int> by_turns(const Grouping& grouping) {
  std::vector<int> order(grouping.group_of.size());
  std::vector<size_t> turn(order.size());
  for (const Group& group : grouping.groups) {
    for (size_t i = 0; i < group.runs.size(); ++i)
      turn[group.runs[i]] = i;
  }
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int run) { return turn[run]; });
  return order;
}

std::vector<RunData> read_headers(
    const std::vector<fs::path>& paths,
    std::vector<Skipped>& skipped) {
  std::vector<RunData> runs;
  for (const fs::path& path : paths) {
    try {
      runs.push_back(read_header(path));
    } catch (const std::exception& error) {
      skipped.push_back({path.string(), error.what()});
    }
  }
  return runs;
}

std::vector<ReadOptions> share_out(const RunSet& set) {
  std::vector<ReadOptions> options(set.runs.size());
  const std::vector<int> order = by_turns(set.grouping);
  for (size_t place = 0; place < order.size(); ++place) {
    const auto rank = static_cast<int>(place);
    ReadOptions& own = options[order[place]];
    own.points = rank < set.budget.runs_with_curves ? set.budget.points : 0;
    own.detail = rank < set.budget.runs_with_detail;
    own.numbers_of_heat = set.budget.numbers_of_heat;
    own.numbers_of_norms = set.budget.numbers_of_norms;
  }
  return options;
}

// The reasons by run; empty where all went well.
std::vector<std::string> read_all(RunSet& set) {
  const std::vector<ReadOptions> options = share_out(set);
  std::vector<std::string> reasons(set.runs.size());
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  ThreadPool pool(std::clamp(cores, 1, 2));
  pool.for_each(static_cast<int64_t>(set.runs.size()), [&](int64_t i, int) {
    try {
      read_run(set.runs[i], options[i]);
    } catch (const std::exception& error) {
      reasons[i] = error.what();
    }
  });
  return reasons;
}

// Drops runs whose records cannot be read.
void drop_unreadable(RunSet& set, const std::vector<std::string>& reasons) {
  std::vector<RunData> kept;
  for (size_t i = 0; i < reasons.size(); ++i) {
    if (reasons[i].empty()) {
      kept.push_back(std::move(set.runs[i]));
    } else {
      set.skipped.push_back({set.runs[i].path, reasons[i]});
    }
  }
  if (kept.size() == set.runs.size()) {
    set.runs = std::move(kept);
    return;
  }
  set.runs = std::move(kept);
  set.grouping = group_runs(set.runs);
}

void note_samples(RunSet& set) {
  const auto is_reduced = [&](const RunData& run) {
    return run.steps > static_cast<int64_t>(run.step_curves.axis.step.size());
  };
  if (std::ranges::any_of(set.runs, is_reduced)) {
    set.notes.push_back(fmt::format(
        "Curves of more than {} points are down-sampled: means over "
        "neighbouring steps, with their true minima and maxima.",
        set.budget.points));
  }
  const auto runs = static_cast<int>(set.runs.size());
  if (set.budget.runs_with_curves < runs) {
    set.notes.push_back(fmt::format(
        "{} of {} runs have curves, first seeds first; the tables hold all.",
        set.budget.runs_with_curves,
        runs));
  }
  const auto detailed = std::ranges::count_if(set.runs, [](const RunData& run) {
    return run.detail.has_value();
  });
  if (detailed > 0 && detailed < runs) {
    set.notes.push_back(fmt::format(
        "Heat maps and norms of replicas are kept of {} of {} runs, first "
        "seeds "
        "first.",
        detailed,
        runs));
  }
}

constexpr double kLeastRounds = 0.9;

// A result without its records is a run whose curves are cut off.
void note_missing(RunSet& set) {
  for (const RunData& run : set.runs) {
    // The rounds of an asynchronous run are known to its workers by estimate.
    const double known = number_in(run.result, "steps");
    const double steps = run.is_asynchronous() ? kLeastRounds * known : known;
    if (!(steps > static_cast<double>(run.steps))) continue;
    set.notes.push_back(fmt::format(
        "{}: its records end at step {} of {}; what came after is not in the "
        "curves, nor in what it took to the target.",
        run.name,
        run.steps,
        known));
  }
}

void note_broken(RunSet& set) {
  for (const RunData& run : set.runs) {
    // The last line of a run that is still going, or was killed, may be cut.
    const bool has_no_end =
        run.outcome == "running" ||
        (run.outcome == "interrupted" && run.result.is_null());
    if (run.broken_lines == 0 || (has_no_end && run.broken_lines == 1)) {
      continue;
    }
    set.notes.push_back(fmt::format(
        "{}: {} broken line{} in its records {} left out.",
        run.name,
        run.broken_lines,
        run.broken_lines == 1 ? "" : "s",
        run.broken_lines == 1 ? "was" : "were"));
  }
}

} // namespace

RunSet load_runs(std::span<const fs::path> paths) {
  RunSet set;
  FoundRuns found = find_runs(paths);
  set.skipped = std::move(found.skipped);
  set.runs = read_headers(found.runs, set.skipped);
  sort_runs(set.runs);
  set.grouping = group_runs(set.runs);
  set.budget = make_budget(
      static_cast<int>(set.runs.size()),
      static_cast<int>(set.grouping.groups.size()),
      static_cast<int>(record::metric_table().size()));
  drop_unreadable(set, read_all(set));
  note_samples(set);
  note_broken(set);
  note_missing(set);
  return set;
}

} // namespace grapevine::report
