// What to use on a cluster, when it pays, and what would change the answer.
//
// The fastest by the runtime model; of those within 3 % of it, the one whose
// replicas agree soonest. A model of time knows nothing of accuracy: what
// sparse graphs do to it is said beside (steps to agree, as in DBench).
#pragma once

#include "sim/sweep.h"

#include <optional>
#include <string>
#include <vector>

namespace grapevine::sim {

struct Regime {
  double from = 0; // bytes a second, as --link counts
  double to = 0;
  Candidate candidate;
  double seconds = 0; // of an iteration in the middle of it
  // All-Reduce's time there, relative to it; nothing without All-Reduce.
  std::optional<double> gain = std::nullopt;
};

struct Recommendation {
  int n = 0;
  double rate = 0; // of the links at hand
  Prediction use;
  Prediction fastest;
  std::optional<Prediction> all_reduce = std::nullopt;
  std::vector<Regime> regimes = {}; // by bandwidth, ascending
  Sweep sweep = {};                 // what they were found from
  // What a person should read, one thought each.
  std::vector<std::string> sentences = {};
};

// From the rows of a forecast for this n, and a search over bandwidths.
// ConfigError where no candidate fits n.
Recommendation
recommend(const Question& question, const Forecast& forecast, int n);

// "1.2 Gbit/s"; "unlimited".
std::string rate_text(double bytes_per_second);
// "61.7 ms".
std::string time_text(double seconds);

} // namespace grapevine::sim
