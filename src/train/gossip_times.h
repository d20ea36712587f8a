// How long what a virtual asynchronous run does takes, in virtual seconds.
//
// With a virtual clock (compute, link, slow, costs): what the spec describes,
// drawn as the runtime model draws it. A word takes the latency of its way; a
// replica what its bytes take on a way that it may share with others, and the
// latency.
//
// Without one: words and replicas take no time, and gradients a unit each, give
// or take a tenth by chance, so that workers do not march in step.
#pragma once

#include "arena/layout.h"
#include "spec/spec.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace grapevine::train {

struct GossipTimes {
  std::function<double(int worker, int64_t gradient)> gradient;
  std::function<double(int from, int to)> word;
  // Of two replicas that pass each other: the latency; what they pass through,
  // null for nothing, and the rates of all there is.
  std::function<double(int a, int b)> transfer;
  std::function<std::vector<int>(int a, int b)> ways;
  std::vector<double> way_rates;
  double replica_bytes = 0;
};

// ConfigError and IoError as make_virtual_clock has them.
GossipTimes make_gossip_times(
    const spec::Spec& spec,
    const arena::Layout& layout);

} // namespace grapevine::train
