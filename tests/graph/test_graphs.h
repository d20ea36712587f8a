// Helpers of the graph tests: making graphs by a short spelling, dense
// matrices as oracles.
#pragma once

#include "base/error.h"
#include "graph/schedule.h"

#include <gtest/gtest.h>
#include <Eigen/Core>

#include <memory>
#include <string>
#include <vector>

namespace grapevine::graph {

inline std::unique_ptr<Schedule> make(GraphOptions options) {
  return make_schedule(options);
}

inline std::shared_ptr<const Mixing> first_of(GraphOptions options) {
  return make_schedule(options)->at({});
}

inline Eigen::MatrixXd dense(const Mixing& mixing) {
  Eigen::MatrixXd w = Eigen::MatrixXd::Zero(mixing.n(), mixing.n());
  for (int i = 0; i < mixing.n(); ++i) {
    for (const Term& term : mixing.row(i))
      w(i, term.rank) += term.weight;
  }
  return w;
}

// The message of the ConfigError that making this graph throws.
inline std::string refusal(const GraphOptions& options) {
  try {
    make_schedule(options);
  } catch (const ConfigError& error) {
    return error.what();
  }
  ADD_FAILURE() << options.name << " n = " << options.n << " was accepted";
  return "";
}

inline std::vector<int> ranks_of(const std::vector<Term>& row) {
  std::vector<int> ranks;
  for (const Term& term : row)
    ranks.push_back(term.rank);
  return ranks;
}

} // namespace grapevine::graph
