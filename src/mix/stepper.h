// One synchronous step of all hosted workers: gradient, local rule and
// exchange in the order that the agreement wants, bucket by bucket while
// backward runs where the cluster can use that; clipping, batch-norm buffers,
// norms, and, if asked for, the invariants.
//
// In the first step backward is only listened to: the order in which it
// finishes gradients on worker 0 becomes the order of the buckets on all. From
// then on a bucket passes through the agreement's stages (algo/agreement.h).
//
// Clipping by the global norm needs the whole gradient: then the local rule
// acts after backward.
#pragma once

#include "algo/agreement.h"
#include "algo/local_rule.h"
#include "graph/schedule.h"
#include "mix/bucket_queue.h"
#include "mix/cluster.h"
#include "mix/gradient_listener.h"
#include "mix/plan.h"
#include "mix/step_measures.h"
#include "tensor/buckets.h"
#include "tensor/kernels/mix_terms.h"

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace grapevine::mix {

// Whoever wants to know what a step does when.
class StepObserver {
 public:
  virtual ~StepObserver() = default;
  // Of a hosted worker, from the thread that computes it.
  virtual void updated(int index, int bucket, Clock::time_point begin) = 0;
  // peer: the one that kept the bucket longest, or -1.
  virtual void
  waited(int index, int bucket, Clock::time_point begin, int peer) = 0;
};

struct StepperOptions {
  double clip = 0;              // global norm of the gradient; 0 = none
  bool average_buffers = false; // batch-norm statistics take part in mixing
  int workers_per_node = 1;     // group averages go by nodes
  // Verify after every step: the mean over workers is preserved by mixing
  // (push-sum's weighted one), weights are doubly stochastic (push-sum: the
  // rows, and the columns as the weights count them), replicas are equal where
  // they must be.
  // The first violation throws Error with step, worker and tensor.
  bool check = false;
  // What is updated and sent at once. Changes times, never results.
  int64_t bucket_bytes = 1 << 20;
};

struct StepRequest {
  graph::StepTime moment;
  // When the step after this one is; none after the last. An agreement that
  // exchanges ahead begins that step's exchange.
  std::optional<graph::StepTime> next = std::nullopt;
  double lr = 0;
  // How much of the exchange counts: x <- (1 - s) x + s sum_j W_ij x_j. At 1
  // this is the sum itself, bit for bit.
  double mixing_strength = 1;
  Measure measure = Measure::kNothing;
  StepObserver* observer = nullptr; // told what is done when
  // Fills the gradients of a hosted worker; called side by side. The listener
  // is told while it does so, where there is one.
  std::function<void(int, GradientListener*)> compute_gradient;
};

class Stepper {
 public:
  // Everything is borrowed; the arenas are those attached to the cluster.
  // ConfigError if the schedule carries weights and the agreement does not, or
  // if the agreement does not allow clipping.
  Stepper(
      Cluster& cluster,
      std::vector<tensor::Arena*> arenas,
      const algo::Agreement& agreement,
      const algo::LocalRule& rule,
      const graph::Schedule& schedule,
      StepperOptions options);
  ~Stepper();

  // Collective. Allocates nothing once it has seen all plans of the schedule,
  // where it measures nothing. What is thrown in it, by compute_gradient, too,
  // abandons the cluster.
  void step(const StepRequest& request);

  // The parameters are no longer what the last step left: an exchange of those
  // that is under way is given up. Collective.
  void parameters_replaced();

  // Of a hosted worker in the last step.
  using Squares = StepMeasures::Squares;
  Squares squares(int index) const;
  // That its local rule took in the last step.
  double update_seconds(int index) const;

  // What the last step's plan is.
  const Plan& plan() const { return *plan_; }
  // How the planes are cut; the whole plane before the first step.
  const tensor::Buckets& buckets() const { return buckets_; }

 private:
  // A hosted worker's part of the current step.
  struct Lane {
    Lane(int index, tensor::Arena& arena, std::function<void(int)> take_bucket)
        : index(index),
          arena(arena),
          queue(std::move(take_bucket)) {}

    int index;
    tensor::Arena& arena;
    BucketQueue queue;
    StepMeasures measures;
    algo::StepInfo info;
    // With a mixing strength below 1: what was sent, or the damped mixture.
    std::vector<float> unmixed;
    const float* damped = nullptr;
    double update_seconds = 0;
  };
  using Stages = std::span<const algo::Stage>;

  void take_step(const StepRequest& request);
  void begin_lanes(const StepRequest& request);
  // Computes the gradients of the process's first worker.
  void trace_first_step(const StepRequest& request);
  void begin_exchanges(const StepRequest& request);
  using PlanPtr = std::shared_ptr<const Plan>;
  Exchange& begin(algo::Plane plane, PlanPtr plan, int64_t step);
  // The same if all buckets are final already.
  Exchange& send_all(algo::Plane plane, PlanPtr plan, int64_t step);
  // is_computed: so are the gradients.
  void compute(int index, const StepRequest& request, bool is_computed);
  // One pass over all buckets of all lanes, after backward; of one lane.
  void run_late(Stages pass, const StepRequest& request);
  void run_pass(Stages pass, Lane& lane);
  void run(Stages stages, Lane& lane, int bucket);
  void measure_mixing(
      const algo::Stage& stage,
      Lane& lane,
      int bucket,
      const tensor::MixTerms& mix);
  tensor::MixTerms wait_for(algo::Plane plane, int index, int bucket);
  Exchange*& arriving(algo::Plane plane) {
    return arriving_[static_cast<size_t>(plane)];
  }
  // Keeps what a worker sends, for damp().
  void keep_unmixed(Lane& lane, int bucket);
  // Mixes by the step's strength what has come with what was sent.
  tensor::MixTerms damp(Lane& lane, int bucket, const tensor::MixTerms& mix)
      const;
  // Acts on all ranges of a bucket.
  void update(Lane& lane, int bucket, const tensor::MixTerms& mix);
  bool updates_late() const;
  // The weight that the schedule carries for a hosted worker before this
  // step's mixing.
  double weight(const Lane& lane, int64_t step) const;
  void check_weights(int64_t step, const graph::Mixing& mixing);
  void check_step(int64_t step, const graph::Mixing& mixing);

  Cluster& cluster_;
  const algo::Agreement& agreement_;
  const algo::LocalRule& rule_;
  const graph::Schedule& schedule_;
  StepperOptions options_;
  // Of the agreement.
  Stages ready_stages_;
  std::vector<Stages> late_passes_;
  int own_plane_; // its first state plane
  PlanCache plans_;
  PlanCache buffer_plans_;
  std::shared_ptr<const Plan> plan_;
  tensor::Buckets buckets_;
  double strength_ = 1; // of the current step's mixing
  bool is_traced_ = false;
  // Where buckets go when their gradients are final; null if nowhere. And where
  // the mixed planes of this step come from.
  Exchange* sending_ = nullptr;
  static constexpr auto kPlanes =
      static_cast<size_t>(algo::Plane::kMovingAverage) + 1;
  std::array<Exchange*, kPlanes> arriving_{};
  // The exchange of the step after this one, if it is in progress already.
  Exchange* ahead_ = nullptr;
  int64_t ahead_step_ = -1;
  StepObserver* observer_ = nullptr; // of the current step
  std::vector<std::unique_ptr<Lane>> lanes_;
  uint64_t checked_weights_ = 0;
};

} // namespace grapevine::mix
