// Combine while adapting (decentralized Adam and its kin):
//
//   x_i(t+1) = sum_j W_ij(t) x_j(t)  -  lr * d_i(g_i(x_i(t)))
//
// The gradient is taken at the unmixed x_i(t), so x(t) can travel while it is
// computed: the exchange of a bucket of x(t) starts when the step before has
// finished that bucket, and has a whole iteration to hide in. "From promise to
// practice" (arXiv 2410.11998). L2 decay and the recorded norms use x_i(t);
// AdamW's decay acts on the mixed value.
//
// A step sends what the plan of W sends (comm/plan.h). The mean over workers
// moves as that of adapt-then-combine does; replicas that begin equal do not
// stay so, not even on the complete graph, since each takes its own step.
#pragma once

#include "algo/agreement.h"

namespace grapevine::algo {

class CombineWhileAdapt : public Agreement {
 public:
  explicit CombineWhileAdapt(std::shared_ptr<const optim::LocalRule> rule)
      : rule_(std::move(rule)) {}

  std::string name() const override { return "combine-while-adapt"; }
  Plane exchanged() const override { return Plane::kParameters; }
  bool adapts_first() const override { return false; }
  bool exchanges_ahead() const override { return true; }
  void before_exchange(
      arena::Arena&,
      Range,
      const optim::StepInfo&,
      std::span<double>) const override {}
  void after_exchange(
      arena::Arena& arena,
      Range range,
      const optim::StepInfo& info,
      const kernel::MixTerms& mix,
      std::span<double> block_squares) const override {
    rule_->update(arena, range, info, mix, block_squares);
  }
  bool keeps_replicas_equal() const override { return false; }

 private:
  std::shared_ptr<const optim::LocalRule> rule_;
};

} // namespace grapevine::algo
