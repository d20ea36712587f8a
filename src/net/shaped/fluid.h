// How streams share the rates of nodes: max-min fair (base/max_min_fair.h).
//
// Every node has a way out and a way in, both of the same rate. A stream from
// node a to node b uses a's way out and b's way in.
#pragma once

#include "base/max_min_fair.h"

#include <array>
#include <limits>
#include <span>
#include <vector>

namespace grapevine::net {

struct Flow {
  int from = 0; // nodes
  int to = 0;
  double backlog = 0; // bytes that wait to be moved
  double rate = 0;    // bytes a second
  int stream = 0;     // whose it is; the caller's business
  double limit = std::numeric_limits<double>::infinity(); // of its rate
};

class Fluid {
 public:
  // rate: bytes a second of every way; if it is infinite, flows need a limit.
  Fluid(int nodes, double rate);

  // Sets the rates of all flows, each with a backlog above 0 and between two
  // different nodes.
  void share(std::span<Flow> flows);

  // Seconds until the first of these has drained at its rate.
  static double first_drained(std::span<const Flow> flows);

 private:
  int nodes_;
  MaxMinFair fair_; // out of each node, then into each
  std::vector<std::array<int, 2>> ways_;
  std::vector<MaxMinFair::Flow> shares_;
};

} // namespace grapevine::net
