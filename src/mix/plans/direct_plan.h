// Everybody sends its value to everybody who wants it.
//
//   x_i <- (sum of the row's values, in row order) / (d+1)    uniform rows
//   x_i <- sum of W_ij x_j, in row order                      others
//
// d messages and d planes for a worker in d rows; one round. Right for few
// neighbours and for any matrix without a form of its own.
#pragma once

#include "mix/plan.h"

namespace grapevine::mix {

class DirectPlan : public Plan {
 public:
  explicit DirectPlan(graph::Mixing mixing);

  std::string name() const override { return "direct"; }
  std::string describe() const override;
  int n() const override { return mixing_.n(); }
  Program program(int rank) const override;
  Dataflow dataflow() const override;
  int messages(int rank) const override;
  double copies(int rank) const override;

 private:
  graph::Mixing mixing_;
};

} // namespace grapevine::mix
