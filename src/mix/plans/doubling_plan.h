// Window sums of a lattice by doubling, for models so small that latency
// rules.
//
//   B_0(i) = x_i,   B_{j+1}(i) = B_j(i) + B_j(i + 2^j)      (indices mod n)
//   x_i <- (B_a(w) + B_b(w + 2^a) + ...) / m
//
// where m = k+1 = 2^a + 2^b + ... (a > b > ...) and w = i - k/2 is where the
// window of i begins. At most floor(log2 m) + popcount(m) messages a worker,
// each a plane; floor(log2 m) + 1 rounds.
#pragma once

#include "mix/plan.h"

#include <vector>

namespace grapevine::mix {

class DoublingPlan : public Plan {
 public:
  // 2 <= k <= n-2, even.
  DoublingPlan(int n, int k);

  // floor(log2 m) + popcount(m), from which the plan is chosen.
  static int message_bound(int k);

  std::string name() const override { return "doubling"; }
  std::string describe() const override;
  int n() const override { return n_; }
  Program program(int rank) const override;
  Dataflow dataflow() const override;

 private:
  // B_level at the worker `offset` behind the owner is part of its window.
  struct Part {
    int level;
    int offset;
  };
  int wrap(int i) const { return (i % n_ + n_) % n_; }

  int n_;
  int k_;
  int levels_; // B_0 .. B_levels
  std::vector<Part> parts_;
};

} // namespace grapevine::mix
