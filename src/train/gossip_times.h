// How long what a virtual asynchronous run does takes, in virtual seconds.
//
// With a virtual clock (compute, link, slow, costs): what the spec describes,
// drawn as the runtime model draws it. A word takes the latency of its way; a
// replica the latency and its bytes at the slowest rate of the way. A pair has
// the way to itself: where workers share a node's line, pairs do not slow each
// other down here.
//
// Without one: words and replicas take no time, and gradients a unit each, give
// or take a tenth by chance, so that workers do not march in step.
#pragma once

#include "arena/layout.h"
#include "spec/spec.h"

#include <cstdint>
#include <functional>

namespace grapevine::train {

struct GossipTimes {
  std::function<double(int worker, int64_t gradient)> gradient;
  std::function<double(int from, int to)> word;
  std::function<double(int a, int b)> transfer; // of a replica
};

// ConfigError and IoError as make_virtual_clock has them.
GossipTimes make_gossip_times(
    const spec::Spec& spec,
    const arena::Layout& layout);

} // namespace grapevine::train
