// How replicas come to agree: which plane travels through the graph, and
// whether the local rule acts before the exchange, after it or while it runs.
//
// An agreement says what; the graph says with whom, the communicator how. It
// is executed by cluster/stepper.h, for all workers of a virtual cluster or
// for one worker of a real one, bucket by bucket, so that moving a bucket
// overlaps with computing the others.
#pragma once

#include "arena/arena.h"
#include "base/range.h"
#include "kernel/mix_terms.h"
#include "optim/local_rule.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace grapevine::algo {

// kMovingAverage: of the weights, where a run keeps one: the last of a worker's
// state planes, behind the agreement's own.
enum class Plane { kParameters, kGradients, kBuffers, kMovingAverage };

std::span<float> plane_of(arena::Arena& arena, Plane plane);

class Agreement {
 public:
  explicit Agreement(std::shared_ptr<const optim::LocalRule> rule)
      : rule_(std::move(rule)) {}
  virtual ~Agreement() = default;

  virtual std::string name() const = 0;
  // What is averaged over the graph.
  virtual Plane exchanged() const = 0;
  // Whether the local rule acts before the exchange or after it.
  virtual bool adapts_first() const = 0;
  // Whether a step's exchange is started by the step before it, as soon as
  // what it sends is final. Then the exchange only reads the plane, and
  // before_exchange is not called.
  virtual bool exchanges_ahead() const { return false; }
  // Whether the graph may be one whose weights have to be carried along
  // (graph::Schedule::weights): then the local rule is given lr / w_i, with the
  // weight that goes with what it changes, before the mixing or after it.
  virtual bool takes_weights() const { return false; }
  // Whether the gradients are averaged too, in a second exchange that begins
  // when the first has been sent: twice the messages and bytes.
  virtual bool exchanges_gradients_too() const { return false; }
  // The planes of state that an arena must have, with their names in
  // checkpoints: the local rule's, and behind them the agreement's own.
  virtual std::vector<std::string> state_planes() const {
    return rule_->state_planes();
  }
  // Replicas that begin equal stay equal, bit for bit, on the complete graph.
  virtual bool keeps_replicas_equal() const = 0;

  // On a range once its gradient is final, before it is first sent; and just
  // after it has been averaged. Called for every range of the plane, in any
  // order, once a step. mix: what the exchange puts in the place of the plane,
  // where it was ahead, else nothing (it is there already).
  // block_squares: as LocalRule::update takes them (the parameters *before*
  // they are averaged, where they are averaged at all).
  virtual void before_exchange(
      arena::Arena& arena,
      Range range,
      const optim::StepInfo& info,
      std::span<double> block_squares) const {
    if (adapts_first()) rule_->update(arena, range, info, {}, block_squares);
  }
  void after_exchange(
      arena::Arena& arena,
      Range range,
      const optim::StepInfo& info,
      const kernel::MixTerms& mix,
      std::span<double> block_squares) const {
    if (!adapts_first()) rule_->update(arena, range, info, mix, block_squares);
  }

  // On a range once its gradients have been averaged too.
  virtual void after_gradients(arena::Arena& /*arena*/, Range /*range*/) const {
  }

 private:
  std::shared_ptr<const optim::LocalRule> rule_;
};

struct AgreementEntry {
  std::string name;
  std::string summary;
};
const std::vector<AgreementEntry>& agreement_table();

std::unique_ptr<Agreement> make_agreement(
    const std::string& name,
    std::shared_ptr<const optim::LocalRule> rule);

} // namespace grapevine::algo
