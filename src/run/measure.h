// Times a few steps and evaluations of a few replicas, on every core at once:
// as many runs side by side as there are cores, each on one thread.
#pragma once

#include "run/run_config.h"

#include <cstdint>

namespace grapevine::run {

struct StepCosts {
  // Core-seconds with all cores at work, as the scheduler counts them: what
  // other programs take meanwhile is left out.
  double make_worker = 0;
  double step = 0;   // of a worker: batch, gradient, update, mixing on a ring
  double sample = 0; // of a worker: one test sample evaluated
  // Bytes that a computing thread holds at most beside the replicas.
  int64_t thread_bytes = 0;
};

// About `seconds` long, longer where
// a step or two are. Starts threads of its own and ends them.
StepCosts measure_costs(const RunConfig& config, int cores, double seconds);

// Bytes of memory that the process uses; 0 where the system does not tell.
int64_t resident_bytes();

} // namespace grapevine::run
