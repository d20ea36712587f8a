// One graph of n workers: its schedule and plans, and what they cost. Shared by
// all algorithms that are tried on it.
#pragma once

#include "graph/spectrum.h"
#include "mix/plan.h"
#include "sim/exchange.h"

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace grapevine::sim {

struct Question;

class Course {
 public:
  // ConfigError where n does not allow the graph, or where rings cannot do what
  // it asks for.
  Course(const Question& question, const graph::GraphOptions& graph);

  const graph::Schedule& schedule() const { return *schedule_; }
  // Ada's: of its last graph, the sparsest.
  const graph::Spectrum& spectrum() const { return spectrum_; }

  struct Step {
    std::shared_ptr<const graph::Mixing> mixing;
    std::shared_ptr<const mix::Plan> plan; // none for rings
  };
  // A period of the schedule. Ada's have none: kAdaPhases moments of its run,
  // from the first graph to the last, each of which holds for long.
  const std::vector<Step>& steps() const { return steps_; }
  bool is_in_phases() const { return is_in_phases_; }
  static constexpr int kAdaPhases = 8;

  // Of the steps, by network. Links that are all so many times as fast, as at
  // another bandwidth, have the same exchanges, and bytes that count as less.
  struct Priced {
    std::shared_ptr<const std::vector<sim::Exchange>> exchanges;
    double byte = 1; // what a byte counts as
  };
  // in_place: see sim::plan_exchange. Thread-safe.
  Priced priced(const sim::Network& network, bool in_place) const;

 private:
  void add_step(
      const Question& question,
      std::shared_ptr<const graph::Mixing> mixing);

  std::unique_ptr<graph::Schedule> schedule_;
  graph::Spectrum spectrum_ = {};
  std::vector<Step> steps_;
  bool is_in_phases_ = false;
  struct Known {
    sim::Network network;
    std::shared_ptr<const std::vector<sim::Exchange>> exchanges;
  };
  mutable std::mutex mutex_;
  mutable std::optional<Known> known_[2]; // by in_place; guarded by mutex_
};

} // namespace grapevine::sim
