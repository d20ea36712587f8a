// Push-sum on a directed graph (Kempe, Dobra, Gehrke 2003; for training:
// stochastic gradient push, Assran, Loizou, Ballas, Rabbat 2019).
//
// Every worker shares what it has equally among itself and those it sends to,
// so sums are kept, but whoever hears many ends up with more than its part. A
// weight that is shared in the same way tells by how much:
//
//   A_ij = 1 / (1 + outdegree(j))         columns sum to 1, rows need not
//   x <- A x,   w <- A w,   w = 1 at the beginning,   z_i = x_i / w_i
//
// and z_i goes to the mean of what was there at the beginning. The workers
// hold z rather than x, for z is the model: its gradient is taken, it is
// probed and evaluated. In terms of z a step is
//
//   z_i <- sum_j R_ij z_j,    R_ij = A_ij w_j / w'_i,    w' = A w
//
// whose rows sum to 1: a mixing like any other, which keeps sum_i w_i z_i.
// The weights depend on the graph and on the step alone, so that every worker
// computes those of all; none is sent, and a resumed run has the same ones.
//
// In a strongly connected graph w goes to a limit. Once no weight moves by
// more than 1e-13 of itself in a step it is taken for reached, and R stays the
// same from then on. Until then every step has an R of its own, at the cost of
// making a plan for it.
#pragma once

#include "graph/schedule.h"

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace grapevine::graph {

class PushSchedule : public Schedule {
 public:
  // receivers[j]: whom j sends to, distinct, without j itself. The graph must
  // be strongly connected; that is for the caller to see to.
  explicit PushSchedule(std::vector<std::vector<int>> receivers);

  // Both remember the last steps that were asked for; one further on costs an
  // operation an edge for each step between, an earlier one begins again from
  // step 0.
  std::shared_ptr<const Mixing> at(StepTime time) const override;
  std::shared_ptr<const std::vector<double>> weights(
      int64_t step) const override;

  // Of the edges; that of the weights begins when they have settled.
  int period() const override { return 1; }
  // Where they would take too long to (about a second of computing), the step
  // that was reached.
  int64_t settled_step() const override;
  int n() const override { return static_cast<int>(senders_.size()); }

 private:
  struct Moved {
    int64_t step;
    std::shared_ptr<const std::vector<double>> weights; // before the mixing
    std::shared_ptr<const Mixing> mixing;               // made when asked for
  };

  // All with the lock held.
  Moved& at_step(int64_t step) const;
  void begin_again() const;
  bool advance() const; // one step; false where the weights have settled
  std::vector<double> push(const std::vector<double>& weights) const;
  Mixing mixing_of(const std::vector<double>& weights) const;

  std::vector<std::vector<int>> senders_; // whom each hears, itself included
  std::vector<double> share_;             // 1 / (1 + outdegree)
  int64_t edges_ = 0;

  mutable std::mutex mutex_;
  // Guarded by mutex_: successive steps, and the step from which on the
  // weights stay the same, once it is known.
  mutable std::deque<Moved> steps_;
  mutable std::optional<int64_t> settled_;
};

} // namespace grapevine::graph
