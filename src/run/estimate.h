// What runs will need, before they start: memory by counting, time by a short
// measurement.
//
// A few steps of a few replicas and a few evaluations are timed once for each
// model, data set, batch and optimizer, with all cores at work, as they will
// be. The rest is arithmetic: workers x steps, evaluations as the spec has
// them, mixing by what its plan moves. Meant to be within 1.5 times the truth
// on a machine that does nothing else; nothing of it enters a result.
#pragma once

#include "run/run_config.h"
#include "spec/spec.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace grapevine::run {

struct Estimate {
  int64_t parameters = 0;   // of one replica
  int64_t steps = 0;        // of the whole run
  int64_t memory_bytes = 0; // of the run on one thread
  int64_t thread_bytes = 0; // for each thread beyond the first
  // Of the whole run; divided by its threads, about its duration.
  double core_seconds = 0;
  // Those of them that come after the last step: the last evaluation.
  double final_core_seconds = 0;
};

struct EstimatorOptions {
  std::vector<std::string> data_path; // see data/locate.h
  int cores = 1;
  // All measurements together; what is above it is what one step takes.
  double budget_seconds = 8;
};

// One thread; leaves torch on that thread with one thread of its own.
class Estimator {
 public:
  explicit Estimator(EstimatorOptions options);
  ~Estimator();

  // Of a run in a virtual cluster. ConfigError and IoError as train() has
  // them: no such data, no step, a graph that cannot be.
  Estimate estimate(const spec::Spec& spec);

 private:
  struct Task;
  struct Costs;
  Task& task(const spec::Spec& spec);
  const Costs& costs(const RunConfig& config, int64_t layout_size);
  Costs measure(const RunConfig& config, int64_t replica_bytes, double seconds)
      const;

  EstimatorOptions options_;
  double spent_seconds_ = 0;
  std::map<std::string, std::unique_ptr<Task>> tasks_;  // by what is trained
  std::map<std::string, std::unique_ptr<Costs>> costs_; // and how
};

} // namespace grapevine::run
