// The links of n workers as resources that bytes pass through.
//
// Worker r stands on node r / workers_per_node. What it sends to a worker of
// its own node passes
//
//   its way out, the node's inside, the receiver's way in    (inside level)
//
// and to another node
//
//   its way out, its node's way out, the receiver's node's way in, the
//   receiver's way in                                        (between level)
//
// and the pair's own resource where the pair has a rate of its own. A resource
// passes `rate` bytes a second, whoever's they are; ways out and in are
// separate, so both directions of a link are busy at once.
//
// Immutable.
#pragma once

#include "sim/costs.h"

#include <array>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace grapevine::sim {

class Network {
 public:
  // ConfigError where the workers need a level that was not measured.
  Network(const Costs& costs, int n, int workers_per_node);

  int n() const { return n_; }
  int node_of(int rank) const { return rank / workers_per_node_; }

  int resources() const { return static_cast<int>(rates_.size()); }
  double rate(int resource) const { return rates_[resource]; }
  const std::vector<double>& rates() const { return rates_; }

  // What a message from one worker to another passes, and its latency.
  struct Route {
    std::array<int, 5> ids;
    int count = 0;
    double latency = 0;

    std::span<const int> resources() const {
      return {ids.data(), static_cast<size_t>(count)};
    }
  };
  Route route(int from, int to) const;

  // By which factor all links with a limit are faster than the other's, if it
  // is the same for all of them and nothing else differs.
  std::optional<double> times_as_fast(const Network& other) const;

 private:
  enum WorkerWay { kInsideOut, kInsideIn, kOut, kIn, kWorkerWays };
  enum NodeWay { kNodeInside, kNodeOut, kNodeIn, kNodeWays };
  int worker_way(int rank, WorkerWay way) const {
    return rank * kWorkerWays + way;
  }
  int node_way(int node, NodeWay way) const {
    return n_ * kWorkerWays + node * kNodeWays + way;
  }
  void add_link(const LinkRate& link);

  int n_;
  int workers_per_node_;
  Level inside_;
  Level between_;
  std::vector<double> rates_;
  struct Pair {
    int resource;
    double latency;
    bool operator==(const Pair&) const = default;
  };
  std::map<std::pair<int, int>, Pair> pairs_; // by (from, to)
};

} // namespace grapevine::sim
