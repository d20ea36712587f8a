// The iteration time of candidates, from costs, by the runtime model.
//
// Every candidate runs for some iterations in the model, with the plans that a
// run would use and the same draws of compute times (asynchronous ones in
// planner/gossip_forecast.h); what is said is the mean after a warm-up. Nothing
// is measured here, so all of it repeats.
#pragma once

#include "graph/spectrum.h"
#include "planner/candidates.h"
#include "planner/gossip_forecast.h"
#include "runtime/model.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace grapevine::planner {

// Who moves the bytes: our own plans, or what other libraries would do, rings
// (runtime/exchange.h). Rings know averages of groups only.
enum class Mover { kPlans, kRings };

struct Question {
  runtime::Costs costs; // buckets as they are cut
  Choices choices = {};
  // 0: runtime::default_workers_per_node.
  int workers_per_node = 0;
  // In place of the links between nodes that costs have.
  std::optional<transport::LinkOptions> link = {};
  transport::SlowOptions slow = {};
  bool after_backward = false; // clipped gradients
  Mover mover = Mover::kPlans;
  // After the warm-up, rounded up to whole periods; at most the warm-up's where
  // nothing is left to chance.
  int steps = 200;
  uint64_t seed = 1;

  // How many share a node in a run of n.
  int workers_per_node_in(int n) const;
  // The same as graphs and plans are told it: 1 where there is one node only.
  int told_workers_per_node(int n) const;
  // With the link in its place.
  runtime::Costs costs_with_link() const;
};

struct Prediction {
  Candidate candidate;
  runtime::StepTimes times; // of an iteration
  // Sent by one worker in a step, the largest; mean over a period.
  double messages = 0;
  double copies = 0; // of the model
  std::string plan;  // "groups, identity"; of rings "ring", of gossip "pairs"
  graph::Spectrum spectrum;
  // Steps in which averaging alone makes the replicas' disagreement ten times
  // smaller; 0 where they always agree (All-Reduce).
  double steps_to_agree = 0;
};

struct Skipped {
  Candidate candidate;
  std::string why;
};

struct Forecast {
  std::vector<Prediction> rows; // in the order of candidates()
  std::vector<Skipped> skipped; // a graph that n does not allow
};

// One candidate's schedule and plans, with a model for any costs. One thread.
class Trial {
 public:
  // ConfigError where n does not allow the graph, or where rings cannot do
  // what it asks for.
  Trial(const Question& question, const Candidate& candidate);
  ~Trial();
  Trial(Trial&&) noexcept;

  const Candidate& candidate() const { return candidate_; }
  // Of an iteration, on a cluster with these costs.
  runtime::StepTimes times(const runtime::Costs& costs) const;
  // With spectrum and what is sent.
  Prediction predict() const;
  // As in a prediction.
  double steps_to_agree() const;

 private:
  struct Step;                  // of a period
  runtime::Order order() const; // of a synchronous candidate
  runtime::StepTimes recursion(const runtime::Costs& costs) const;
  runtime::Exchange exchange(const Step& step, const runtime::Network& network)
      const;

  double steps_to_agree(const graph::Spectrum& spectrum) const;

  const Question* question_;
  Candidate candidate_;
  std::unique_ptr<graph::Schedule> schedule_;
  std::vector<Step> steps_;
  std::unique_ptr<GossipForecaster> gossip_; // of an asynchronous candidate
};

// For every n, all candidates. The costs are checked.
Forecast predict(const Question& question, const std::vector<int>& ns);

} // namespace grapevine::planner
