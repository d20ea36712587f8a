// The same question at other bandwidths: where does the answer change?
#pragma once

#include "sim/predict.h"

#include <map>
#include <memory>
#include <vector>

namespace grapevine::sim {

// Iteration times of all candidates that n allows, at some rates of a link.
struct Sweep {
  int n = 0;
  std::vector<double> rates; // bytes a second, as --link counts; ascending
  std::vector<Candidate> candidates;
  std::vector<double> steps_to_agree;            // by candidate
  std::vector<std::vector<double>> seconds = {}; // by candidate, rate
};

// The rate of the links that a run of n workers is limited by: between nodes,
// or inside the one node that they all share; infinite without a limit.
double link_rate(const Question& question, int n);
// From a hundredth to a hundred times the rate (of 10 Gbit/s where there is no
// limit), evenly on a logarithmic scale.
std::vector<double> rates_around(double rate, int count);

// Costs with those links at another rate, latencies as they are.
sim::Costs costs_at(const Question& question, int n, double bytes_per_second);

// Remembers what it has computed. One thread.
class Sweeper {
 public:
  // Every answer is found from so many iterations at most: there are many, and
  // they are compared with each other only.
  static constexpr int kMostSteps = 60;
  Sweeper(const Question& question, int n);

  Sweep sweep(const std::vector<double>& rates);

  // The answer at a rate: of all candidates within kTie of the fastest, the
  // one whose replicas agree soonest (All-Reduce, if it is among them).
  static constexpr double kTie = 0.03;
  int answer(double rate);

  // Where one answer holds, from the lowest to the highest of the rates; the
  // ends between answers are found within 2 %.
  struct Regime {
    double from = 0;
    double to = 0;
    int candidate = 0;
  };
  std::vector<Regime> regimes(const std::vector<double>& rates);

  const Candidate& candidate(int index) const {
    return (*trials_)[index].candidate();
  }
  double seconds(int index, double rate) { return times(rate)[index]; }

 private:
  // Of all candidates.
  const std::vector<double>& times(double rate);

  std::unique_ptr<const Question> question_;
  int n_;
  std::unique_ptr<Trials> trials_;
  std::vector<double> steps_to_agree_;
  std::map<double, std::vector<double>> times_; // by rate
};

// The rule of Sweeper::answer on any list; both have an entry each candidate.
int choose(
    const std::vector<double>& seconds,
    const std::vector<double>& steps_to_agree);

} // namespace grapevine::sim
