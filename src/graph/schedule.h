// Which Mixing holds at which step: a pure function of (step time, n, seed).
//
// All workers compute the same schedule without talking (but for what an
// AdaControl found out, which is part of the step time). A static graph is a
// schedule of period 1.
#pragma once

#include "graph/graphs.h"
#include "graph/mixing.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace grapevine::graph {

// When: the global step from 0 and the epoch from 0 that it lies in.
struct StepTime {
  int64_t step = 0;
  int64_t epoch = 0;
  double epochs_done = 0; // with fractions: Ada by step
  int k = 0;              // chosen by an AdaControl; 0 = not chosen
};

class Schedule {
 public:
  virtual ~Schedule() = default;

  // Returns the mixing of this step. Cached: the same object for the same
  // matrix as long as the schedule repeats it. Thread-safe.
  virtual std::shared_ptr<const Mixing> at(StepTime time) const = 0;

  // Push-sum's weights before this step's mixing, one a worker (those after
  // it are the next step's): what the mixing keeps is sum_i w_i x_i. A pure
  // function of the step. Null where all are 1, W being doubly stochastic.
  // Thread-safe.
  virtual std::shared_ptr<const std::vector<double>> weights(
      int64_t /*step*/) const {
    return nullptr;
  }

  // Steps after which the schedule repeats; 0 if it never does (random
  // matchings) or depends on the epoch (Ada).
  virtual int period() const = 0;
  // From which step on it does: 0, but where weights have to settle first.
  virtual int64_t settled_step() const { return 0; }

  // Steps, from step 0 of epoch 0 on, that stand for the whole in an
  // analysis: a period, or where there is none, a sample that the schedule
  // chooses (Ada: its first epoch's graph; random matchings: min(n, 64)).
  virtual int sample_steps() const { return period(); }

  virtual int n() const = 0;
};

// What a parser, --help, the docs and error messages need to know of a graph.
struct GraphEntry {
  std::string name;
  std::string summary;              // one line for --help
  std::vector<std::string> options; // names of those that it takes
  bool is_schedule;                 // varies with the step
  std::unique_ptr<Schedule> (*make)(const GraphOptions&);
};

// All graphs by name, in the order in which they are documented.
const std::vector<GraphEntry>& graph_table();

// Throws ConfigError: an unknown name (with the nearest), an n, k or shape
// that the definition does not allow (with the nearest that works), a broken
// edge list (file and line).
std::unique_ptr<Schedule> make_schedule(const GraphOptions& options);

} // namespace grapevine::graph
