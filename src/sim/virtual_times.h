// How long what asynchronous workers do takes, in virtual seconds.
#pragma once

#include "sim/model.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace grapevine::sim {

struct VirtualTimes {
  // Of a worker's gradient with this number; of a control message; and of two
  // replicas that are exchanged, beside what their bytes take.
  std::function<double(int worker, int64_t gradient)> gradient;
  std::function<double(int from, int to)> word;
  std::function<double(int a, int b)> transfer;
  // The resources that the bytes pass there and back, and the bytes a second
  // of all resources; null = the bytes take no time.
  std::function<std::vector<int>(int a, int b)> ways = nullptr;
  std::vector<double> way_rates = {};
  double replica_bytes = 0;
};

// On the cluster that the costs describe, drawn as the runtime model draws it.
// A control message takes the latency of its link; a replica what its bytes
// take over resources that it may share with others, and the latency.
// ConfigError if the costs lack links that are needed.
VirtualTimes
times_on(const Costs& costs, const ModelOptions& options, double replica_bytes);

} // namespace grapevine::sim
