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
  using Agreement::Agreement;

  std::string name() const override { return "allreduce"; }
  Plane exchanged() const override { return Plane::kGradients; }
  bool adapts_first() const override { return false; }
  bool keeps_replicas_equal() const override { return true; }
};

} // namespace grapevine::algo
