// How streams share the rates of nodes: max-min fair, as TCP does between
// connections that meet in the same queues.
//
// Every node has a way out and a way in, both of the same rate. A stream from
// node a to node b uses a's way out and b's way in. Rates grow together until
// a way is full; the streams through it keep what they have, the others go on
// growing, as does a stream that has reached a limit of its own. Nothing is
// lost by this: a way that a stream does not fill is there for the others.
#pragma once

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
  // rate: bytes a second of every way; where that has no limit, flows must.
  Fluid(int nodes, double rate);

  // Sets the rates of all flows, each with a backlog above 0 and between two
  // different nodes.
  void share(std::span<Flow> flows);

  // Seconds until the first of these has drained at its rate.
  static double first_drained(std::span<const Flow> flows);

 private:
  struct Way {
    double left = 0; // rate that nobody has yet
    int flows = 0;   // whose rate is not fixed
  };

  // The least that a flow gets of any way that is still in use, or may have.
  double least_share(std::span<const Flow> flows) const;
  void fix(Flow& flow, double rate);

  int nodes_;
  double rate_;
  std::vector<Way> ways_;     // out of each node, then into each
  std::vector<char> is_full_; // of these, in the round at hand
};

} // namespace grapevine::net
