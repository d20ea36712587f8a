// One synchronous step of all hosted workers: gradient, local rule and
// exchange in the order that the agreement wants, bucket by bucket while
// backward runs where the cluster can use that; clipping, batch-norm buffers,
// norms, and, if asked for, the invariants.
//
// In the first step backward is only listened to: the order in which it
// finishes gradients on worker 0 becomes the order of the buckets on all.
// From then on, when a bucket's gradients are final,
//
//   allreduce             it is sent; after backward it is waited for and the
//                         local rule acts on it
//   adapt-then-combine    the local rule acts on it, and it is sent; after
//                         backward it is waited for
//                         (push-sum: the same; gradient-tracking: after
//                         backward the gradients are sent in a second exchange)
//   combine-while-adapt   its exchange, started a step ago, is waited for, the
//                         local rule acts on it in one pass with the mixing,
//                         and its next exchange is started
//                         (push-sum-overlapped: the same)
//
// Clipping by the global norm needs the whole gradient: then the local rule
// acts after backward.
#pragma once

#include "algo/agreement.h"
#include "arena/buckets.h"
#include "cluster/bucket_queue.h"
#include "cluster/cluster.h"
#include "cluster/gradient_listener.h"
#include "cluster/plan_cache.h"
#include "cluster/step_measures.h"
#include "cluster/step_observer.h"
#include "graph/schedule.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace grapevine::cluster {

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
  graph::Moment moment;
  // When the step after this one is; none after the last. An agreement that
  // exchanges ahead begins that step's exchange.
  std::optional<graph::Moment> next = std::nullopt;
  double lr = 0;
  Measure measure = Measure::kNothing;
  StepObserver* observer = nullptr; // told what is done when
  // Fills the gradients of a hosted worker; called side by side. The listener
  // is told while it does so, where there is one.
  std::function<void(int, GradientListener*)> compute_gradient;
};

class Stepper {
 public:
  // Everything is borrowed; the arenas are those attached to the cluster.
  // ConfigError where the schedule carries weights and the agreement takes
  // none, or where gradients that are exchanged too would be clipped.
  Stepper(
      Cluster& cluster,
      std::vector<arena::Arena*> arenas,
      const algo::Agreement& agreement,
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
  const comm::Plan& plan() const { return *plan_; }
  // How the planes are cut; the whole plane before the first step.
  const arena::Buckets& buckets() const { return buckets_; }

 private:
  // A hosted worker's part of the step at hand.
  struct Lane;
  enum class Part { kBefore, kAfter };

  void take_step(const StepRequest& request);
  void begin_lanes(const StepRequest& request);
  void trace_first_step(const StepRequest& request);
  void begin_exchange(const StepRequest& request);
  void run_lane(int index, const StepRequest& request);
  void take_bucket(int index, int bucket);
  void finish_lane(int index);
  void begin_gradients(const StepRequest& request);
  void finish_gradients(int index);
  kernel::MixTerms wait_for(int index, int bucket);
  // On all ranges of a bucket.
  void act(Part part, Lane& lane, int bucket, const kernel::MixTerms& mix = {});
  // For what an update leaves of a bucket; null where that is not sent next.
  float* outbox_of(Part part, const Lane& lane, int bucket);
  void agree(Part part, Lane& lane, Range range, const kernel::MixTerms& mix);
  // The same, and what it leaves of the parameters goes to the outbox as well.
  void agree_and_show(
      Part part,
      Lane& lane,
      Range range,
      const kernel::MixTerms& mix,
      float* outbox);
  bool updates_late() const;
  std::shared_ptr<const comm::Plan> plan_at(const graph::Moment& moment);
  // The weight that the schedule carries for a hosted worker before this
  // step's mixing.
  double weight(const Lane& lane, int64_t step) const;
  void check_weights(int64_t step, const graph::Mixing& mixing);
  void check_step(int64_t step, const graph::Mixing& mixing);

  Cluster& cluster_;
  const algo::Agreement& agreement_;
  const graph::Schedule& schedule_;
  StepperOptions options_;
  PlanCache plans_;
  PlanCache buffer_plans_;
  std::shared_ptr<const comm::Plan> plan_;
  arena::Buckets buckets_;
  bool traced_ = false;
  bool computed_ = false; // the gradients of the step at hand, while tracing
  bool releases_ = false; // buckets of the step at hand start an exchange
  std::optional<int64_t> ahead_;     // the step whose exchange is under way
  StepObserver* observer_ = nullptr; // of the step at hand
  std::vector<std::unique_ptr<Lane>> lanes_;
  uint64_t checked_weights_ = 0;
};

} // namespace grapevine::cluster
