// All-reduce, centralized data parallelism:
//
//   g   = (1/n) sum_j g_j             in rank order, the same bits everywhere
//   x_i = x_i - lr * d(g)             the same on every worker
//
// A step sends 2(n-1)/n model copies a worker, in 2(n-1) messages. The graph
// must be complete. Gradients are sent bucket by bucket while backward computes
// the rest; what is left at its end is waited for.
#pragma once

#include "algo/agreement.h"

namespace grapevine::algo {

class Allreduce : public Agreement {
 public:
  explicit Allreduce(std::shared_ptr<const optim::LocalRule> rule)
      : rule_(std::move(rule)) {}

  std::string name() const override { return "allreduce"; }
  Plane exchanged() const override { return Plane::kGradients; }
  bool adapts_first() const override { return false; }
  void before_exchange(
      arena::Arena&,
      Range,
      const optim::StepInfo&,
      std::span<double>) const override {}
  void after_exchange(
      arena::Arena& arena,
      Range range,
      const optim::StepInfo& info,
      const kernel::MixTerms&,
      std::span<double> block_squares) const override {
    rule_->update(arena, range, info, {}, block_squares);
  }
  bool keeps_replicas_equal() const override { return true; }

 private:
  std::shared_ptr<const optim::LocalRule> rule_;
};

} // namespace grapevine::algo
