// The iteration times of all candidates, from costs, by the runtime model.
//
// A candidate runs for some iterations in the model, with the plans that a run
// would use and the same draws of compute times as every other candidate
// (asynchronous ones in sim/gossip_forecast.h); the result is the mean after a
// warm-up. Nothing is measured here, so all of it repeats.
#pragma once

#include "sim/prediction.h"
#include "sim/query.h"

#include <map>
#include <memory>
#include <vector>

namespace grapevine {
class ThreadPool;
}

namespace grapevine::sim {

// For every n, all candidates: possible ones in the order of candidates(), then
// those that n does not allow. ConfigError as check(Query) has it, and for
// links or slow workers that an n does not have.
std::vector<Prediction> predict(const Query& query, const std::vector<int>& ns);

// The candidates for n workers, ready to be tried at any rate of the links. One
// thread; candidates are tried on all threads of the query.
class Planner {
 public:
  // A query that is checked.
  Planner(const Query& query, int n);
  ~Planner();

  // Those that n allows, with what does not depend on links: spectrum and
  // steps_to_agree.
  const std::vector<Prediction>& candidates() const { return candidates_; }
  // Those that it does not.
  const std::vector<Prediction>& impossible() const { return impossible_; }

  // Everything, by candidate.
  std::vector<Prediction> predict();
  // Seconds of an iteration over links of this rate (costs_at), by candidate.
  // Computed once per rate.
  const std::vector<double>& seconds_at(double rate);

 private:
  struct Trial;

  Query query_;
  int n_;
  std::unique_ptr<ThreadPool> pool_;
  std::vector<Prediction> candidates_;
  std::vector<Prediction> impossible_;
  std::vector<std::unique_ptr<Trial>> trials_;       // by candidate
  std::map<double, std::vector<double>> seconds_at_; // by rate
};

} // namespace grapevine::sim
