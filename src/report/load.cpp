#include "report/load.h"

#include "base/thread_pool.h"
#include "record/dispersion.h"
#include "report/run_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <numeric>
#include <thread>

namespace grapevine::report {
namespace {

namespace fs = std::filesystem;

// Measured on pages: what is written for a run without its curves.
constexpr int64_t kRunBytes = 1300;
constexpr int kManyRuns = 100; // from here on 4 digits do
constexpr int kFewestPoints = 12;
constexpr int kMostPoints = 400;
constexpr int64_t kMostDetailBytes = 2'400'000;

// Returns the first seeds of all groups, then the second ones, and so on.
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

// Returns the reasons by run; empty if all went well.
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
    return run.steps >
           static_cast<int64_t>(run.curves.at("steps").axis.step.size());
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

Budget make_budget(int runs, int groups, int metrics) {
  runs = std::max(runs, 1);
  const bool many = runs >= kManyRuns;
  Budget budget;
  budget.digits = many ? 4 : 6;
  // With its comma; those near 0 need an exponent.
  const double number_bytes = many ? 7.2 : 8.5;

  budget.runs_with_detail = std::clamp(groups, 1, many ? 8 : 24);
  const int64_t detail = std::min<int64_t>(
      many ? 100'000 : 900'000,
      kMostDetailBytes / budget.runs_with_detail);
  budget.numbers_of_heat = detail * 2 / 5 / 8;
  budget.numbers_of_norms = detail * 3 / 5 / 8;

  // Of steps, of probes and of evaluations.
  const double columns = 10 + 6 + 3 * (metrics + 3) + 13;
  const double room = std::max(
      static_cast<double>(
          kPageDataBytes - detail * budget.runs_with_detail - kRunBytes * runs),
      static_cast<double>(kPageDataBytes) / 10);
  const double points = room / runs / columns / number_bytes;
  budget.points =
      static_cast<int>(std::clamp<double>(points, kFewestPoints, kMostPoints));
  budget.runs_with_curves = static_cast<int>(
      std::min<double>(runs, room / (columns * number_bytes * budget.points)));
  return budget;
}

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
