// What to use on a cluster, when it pays, and what would change the answer.
//
// The fastest by the runtime model; of those within 3 % of it, the one whose
// replicas agree soonest. A model of time knows nothing of accuracy: what
// sparse graphs do to it is said beside (steps to agree, as in DBench).
#pragma once

#include "sim/predict.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace grapevine::sim {

// Where one answer holds. Of the answer's results seconds and gain are set, as
// they are in the middle.
struct Regime {
  double from = 0; // bytes a second, as --link counts
  double to = 0;
  Prediction answer;
};

struct Recommendation {
  int n = 0;
  double rate = 0; // of the links as they are
  Prediction use;
  Prediction fastest;
  std::optional<Prediction> all_reduce = std::nullopt;
  // By bandwidth, from a hundredth to a hundred times the rate; the ends
  // between answers are found within 2 %.
  std::vector<Regime> regimes = {};
  // What they were found from: seconds of an iteration by candidate and rate.
  std::vector<double> rates = {};
  std::vector<Prediction> candidates = {};
  std::vector<std::vector<double>> seconds = {};
  // What a person should read, one thought each.
  std::vector<std::string> sentences = {};
};

// From the predictions for this n, and a search over bandwidths. ConfigError if
// no candidate fits n.
Recommendation
recommend(const Query& query, std::span<const Prediction> predictions, int n);

// The recommendation's rule: of all within kTie of the fastest the index of the
// one whose replicas agree soonest (All-Reduce, if it is among them). seconds:
// by candidate.
inline constexpr double kTie = 0.03;
int choose(
    const std::vector<double>& seconds,
    std::span<const Prediction> candidates);

// From a hundredth to a hundred times the rate (of 10 Gbit/s if there is no
// limit), evenly on a logarithmic scale.
std::vector<double> rates_around(double rate, int count);
// A planner for a search: there are many answers, which are compared with each
// other only, so each is found from few iterations.
Planner search_planner(const Query& query, int n);
std::vector<Regime> find_regimes(
    Planner& planner,
    const std::vector<double>& rates);

// "1.2 Gbit/s"; "unlimited".
std::string rate_text(double bytes_per_second);
// "61.7 ms".
std::string time_text(double seconds);

// n, rate, use, fastest, regimes, sentences.
nlohmann::ordered_json to_json(const Recommendation& recommendation);
// n, rates, rows (a candidate's, and seconds, one for each rate).
nlohmann::ordered_json sweep_json(const Recommendation& recommendation);

} // namespace grapevine::sim
