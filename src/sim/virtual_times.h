// How long what asynchronous workers do takes, in virtual seconds.
#pragma once

#include "base/link_options.h"
#include "sim/costs.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace grapevine::sim {

struct VirtualTimes {
  // Of a worker's gradient with this number; of a word; and of two replicas
  // that pass each other, beside what their bytes take.
  std::function<double(int worker, int64_t gradient)> gradient;
  std::function<double(int from, int to)> word;
  std::function<double(int a, int b)> transfer;
  // What the bytes pass there and back, and the bytes a second of all ways
  // there are; null = they take no time.
  std::function<std::vector<int>(int a, int b)> ways = nullptr;
  std::vector<double> way_rates = {};
  double replica_bytes = 0;
};

struct TimedCluster {
  int n = 1;
  int workers_per_node = 1;
  SlowOptions slow = {};
  uint64_t seed = 1;
  double replica_bytes = 0;
};

// On the cluster that the costs describe, drawn as the runtime model draws it.
// A word takes the latency of its way; a replica what its bytes take on a way
// that it may share with others, and the latency. ConfigError where costs lack
// links that are needed.
VirtualTimes times_on(const Costs& costs, const TimedCluster& cluster);

} // namespace grapevine::sim
