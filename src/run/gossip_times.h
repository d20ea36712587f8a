// How long what a virtual asynchronous run does takes, in virtual seconds.
//
// With a virtual clock (compute, link, slow, costs): what the spec describes.
// Without one: words and replicas take no time, and gradients a unit each, give
// or take a tenth by chance, so that workers do not march in step.
#pragma once

#include "sim/virtual_times.h"
#include "spec/spec.h"
#include "tensor/layout.h"

namespace grapevine::run {

// ConfigError and IoError as make_virtual_clock has them.
sim::VirtualTimes make_gossip_times(
    const spec::Spec& spec,
    const tensor::Layout& layout);

} // namespace grapevine::run
