// How often each pair of workers talks: the intensities of A2CiD2's gossip.
//
//   c_ij = #(j in row i) + #(i in row j)      over the given steps
//   lambda_ij = c_ij / max(d_i, d_j)          d_i = sum_j c_ij
//
// (arXiv 2306.08289, at rate 1.) A directed graph thus counts as A + A^T. Rows
// are made on demand, as those of a Mixing are.
#pragma once

#include "graph/mixing.h"

#include <memory>
#include <vector>

namespace grapevine::graph {

class PairRates {
 public:
  explicit PairRates(std::vector<std::shared_ptr<const Mixing>> steps);

  int n() const { return n_; }
  // The j with lambda_ij > 0, ascending, with lambda_ij as weight.
  std::vector<Term> row(int i) const;

 private:
  int n_;
  std::vector<std::shared_ptr<const Mixing>> steps_;
  std::vector<double> totals_; // d_i
};

} // namespace grapevine::graph
