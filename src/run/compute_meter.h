// Times what one replica does in a step: forward, backward tensor by tensor,
// update. For `grapevine plan measure`.
//
// Real time with everything that goes on meanwhile: other workers of the
// machine compute too, and that is what a run will meet.
#pragma once

#include "run/run_config.h"
#include "run/stopwatch.h"
#include "sim/costs.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace grapevine::run {

class ComputeMeter {
 public:
  // rank: which samples it takes. seconds: for all steps that follow, from now
  // on; one to warm up and one that counts are taken in any case. Borrows the
  // config.
  ComputeMeter(const RunConfig& config, int rank, double seconds);
  ~ComputeMeter();

  // The tensors in the order in which backward finishes them here, and their
  // bytes; the first steps are done for it.
  std::vector<int> trace_order();
  std::vector<int64_t> bytes(const std::vector<int>& order) const;

  // Steps in the time that is left: forward and whatever else comes before
  // backward; then, tensor by tensor in this order, until it is final.
  // together(stop): whether anybody wants to stop; returns when all workers
  // have asked, so that they begin each step at the same time.
  std::vector<sim::ComputeSample> time_steps(
      const std::vector<int>& order,
      const std::function<bool(bool)>& together);

  // Of the local rule and a mean with one neighbour, for a byte of parameters.
  double update_seconds_per_byte();

 private:
  struct Step;
  Step step();

  const RunConfig& config_;
  int rank_;
  double seconds_;
  int64_t next_ = 0; // sample
  std::unique_ptr<Worker> worker_;
  Stopwatch watch_;
  data::Batch batch_;
};

} // namespace grapevine::run
