// One synchronous step of all hosted workers: gradient, local rule and
// exchange in the order that the agreement wants, clipping, batch-norm
// buffers, norms, and, if asked for, the invariants.
#pragma once

#include "algo/agreement.h"
#include "cluster/cluster.h"
#include "cluster/plan_cache.h"
#include "graph/schedule.h"

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace grapevine::cluster {

struct StepperOptions {
  double clip = 0;              // global norm of the gradient; 0 = none
  bool average_buffers = false; // batch-norm statistics take part in mixing
  // Verify after every step: the mean over workers is preserved by mixing,
  // weights are doubly stochastic, replicas are equal where they must be.
  // The first violation throws Error with step, worker and tensor.
  bool check = false;
};

// What a step is asked to measure of the hosted workers. Norms of the new
// parameters come out of the fused update; the rest needs a look at the
// gradients and at the old parameters.
enum class Measure { kNothing, kNorms, kEverything };

struct StepRequest {
  graph::Moment moment;
  double lr = 0;
  Measure measure = Measure::kNothing;
  // Fills the gradients of a hosted worker; called side by side.
  std::function<void(int)> compute_gradient;
};

class Stepper {
 public:
  // Everything is borrowed; the arenas are those attached to the cluster.
  Stepper(
      Cluster& cluster,
      std::vector<arena::Arena*> arenas,
      const algo::Agreement& agreement,
      const graph::Schedule& schedule,
      StepperOptions options);

  void step(const StepRequest& request);

  // Sums of squares of each tensor of a hosted worker in the last step, as far
  // as it was asked to measure them; else empty.
  struct Squares {
    std::vector<double> parameters; // after the update, before averaging
    std::vector<double> gradients;  // the worker's own, before averaging
    std::vector<double> updates;    // new less old parameters
  };
  const Squares& squares(int index) const { return squares_[index]; }

  // That a hosted worker's local rule took in the last step.
  double update_seconds(int index) const { return update_seconds_[index]; }

  // What the last step's plan is.
  const comm::Plan& plan() const { return *plan_; }

 private:
  void exchange(const StepRequest& request);
  void make_room(Measure measure);
  void fold_squares();
  // The agreement's part of the step on a range, and what is to be measured
  // of it.
  enum class Part { kBefore, kAfter };
  void act(Part part, int index, Range range, const optim::StepInfo& info);
  void
  measured_act(Part part, int index, Range range, const optim::StepInfo& info);
  void
  plain_act(Part part, int index, Range range, const optim::StepInfo& info);
  double clip_factor(int index) const;
  void record_sums(std::vector<std::vector<double>>& sums, int index, Range);
  void check_mean(int64_t step) const;
  void check_equal(int64_t step) const;

  Cluster& cluster_;
  std::vector<arena::Arena*> arenas_;
  const algo::Agreement& agreement_;
  const graph::Schedule& schedule_;
  StepperOptions options_;
  PlanCache plans_;
  PlanCache buffer_plans_;
  std::shared_ptr<const comm::Plan> plan_;
  std::vector<Squares> squares_;
  // Of the parameters, block by block, a row for each hosted worker.
  std::vector<std::vector<double>> block_squares_;
  std::vector<double> update_seconds_;
  // --check: sums of each tensor of each hosted worker around the mixing.
  std::vector<std::vector<double>> sums_before_;
  std::vector<std::vector<double>> sums_after_;
  std::vector<std::vector<double>> magnitudes_;
  uint64_t checked_weights_ = 0;
};

} // namespace grapevine::cluster
