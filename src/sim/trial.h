// The iteration time of one candidate, from costs, by the runtime model.
//
// It runs for some iterations in the model, with the plans that a run would use
// and the same draws of compute times as every other candidate (asynchronous
// ones in sim/gossip_forecast.h); what is said is the mean after a warm-up.
#pragma once

#include "sim/course.h"
#include "sim/gossip_forecast.h"
#include "sim/model.h"
#include "sim/question.h"

#include <memory>
#include <string>

namespace grapevine::sim {

struct Prediction {
  Candidate candidate;
  sim::StepTimes times; // of an iteration
  // Sent by one worker in a step, the largest; mean over a period.
  double messages = 0;
  double copies = 0; // of the model
  std::string plan;  // "groups, identity"; of rings "ring", of gossip "pairs"
  graph::Spectrum spectrum;
  // Steps in which averaging alone makes the replicas' disagreement ten times
  // smaller; 0 where they always agree (All-Reduce), infinite where the graph
  // is not connected.
  double steps_to_agree = 0;
};

// Several may be asked at the same time; each by one thread at a time.
class Trial {
 public:
  // On the course of the candidate's graph. The question is borrowed.
  // ConfigError where the candidate cannot be predicted.
  Trial(
      const Question& question,
      const Candidate& candidate,
      std::shared_ptr<const Course> course);
  ~Trial();
  Trial(Trial&&) noexcept;

  const Candidate& candidate() const { return candidate_; }
  // Of an iteration, on a cluster with these costs.
  double seconds(const sim::Costs& costs) const;
  // With its parts, spectrum and what is sent.
  Prediction predict() const;
  // As in a prediction.
  double steps_to_agree() const;

 private:
  void check_weights() const;
  sim::StepTimes recursion(const sim::Costs& costs, bool in_parts) const;
  // Of these steps of the course, over and over.
  struct Steps {
    size_t begin;
    size_t end;
  };
  sim::StepTimes
  recursion(const sim::Costs& costs, bool in_parts, const Steps& steps) const;

  const Question* question_;
  Candidate candidate_;
  std::shared_ptr<const Course> course_;
  std::unique_ptr<GossipForecaster> gossip_; // of an asynchronous candidate
};

} // namespace grapevine::sim
