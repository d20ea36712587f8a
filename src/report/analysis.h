// What a set of runs says: correlations, rankings, costs to a target, and
// sentences if the figures allow one.
//
// Runs count here that completed, and runs that diverged with the accuracy
// that they were left with. Intervals are 95 %; seeds are what is repeated, so
// with one seed there is no interval, and nothing is found.
#pragma once

#include "report/grouping.h"
#include "report/run_data.h"
#include "report/statistics.h"

#include <optional>
#include <string>
#include <vector>

namespace grapevine::report {

// A stratum, or all of them.
using Stratum = std::optional<Choices>;

// Spearman's rho of accuracy with something, over the decentralized runs of a
// seed; the mean over seeds and, over all strata, over strata.
struct Correlation {
  std::string with;  // "connections" or a metric's name
  std::string title; // "number of connections"
  int phase = 0;     // index into kPhases
  Stratum stratum;
  double rho = kNan;
  Interval interval; // bootstrap over seeds
  int runs = 0;
  int seeds = 0;
};

struct RankingRow {
  int group = 0;
  int rank = 0;
  Summary accuracy;
  // Whether the interval of the difference to the best, paired by seed, holds
  // 0; nothing if there is no interval.
  std::optional<bool> not_worse_than_best;
};

struct Ranking {
  Choices stratum;
  std::vector<RankingRow> rows; // best first
};

struct TargetRow {
  int group = 0;
  int reached = 0;
  int runs = 0;
  // Over the runs that reached it, at their first evaluation that did.
  Summary epochs;
  Summary seconds;
  Summary messages_per_worker;
  Summary bytes_per_worker;
};

struct Target {
  double accuracy = kNan;
  bool given = false;
  std::vector<TargetRow> rows;
};

// a - b in accuracy (a fraction), paired by seed.
struct Comparison {
  std::string what; // "Ada against d-complete"
  Stratum stratum;
  int a = 0; // groups
  int b = 0;
  MeanInterval difference;
  std::string sentence; // empty if the interval holds 0
};

struct Analysis {
  Target target;
  std::vector<Ranking> rankings;
  std::vector<Correlation> correlations;
  std::vector<Comparison> comparisons;
  std::vector<std::string> findings;
};

// `target`: an accuracy in (0, 1], or nothing for 0.98 times the best group's
// mean, rounded down to 0.01.
Analysis analyse(
    const std::vector<RunData>& runs,
    const Grouping& grouping,
    std::optional<double> target);

} // namespace grapevine::report
