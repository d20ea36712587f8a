// The virtual clock of a run: when its workers would have done what they did,
// on the cluster that the spec describes (compute, link, slow, costs).
//
// A sim::RuntimeModel advanced by the plans of the run's own steps. It
// depends on the spec and the step alone, so it repeats, on any transport.
#pragma once

#include "sim/model.h"
#include "sim/virtual_times.h"
#include "spec/spec.h"
#include "tensor/layout.h"

#include <memory>

namespace grapevine::run {

// The cluster that a spec with a virtual clock describes. ConfigError and
// IoError as below.
sim::Costs described_costs(
    const spec::Spec& spec,
    const tensor::Layout& layout);
// How many of its workers share a node there.
int described_workers_per_node(const spec::Spec& spec, const sim::Costs& costs);

// None where the spec has no such key. ConfigError for costs of another model
// or batch, or without the links that are needed; IoError where they cannot be
// read.
std::unique_ptr<sim::RuntimeModel> make_virtual_clock(
    const spec::Spec& spec,
    const tensor::Layout& layout);

// Returns how long what a virtual asynchronous run does takes, in virtual
// seconds: with such a key, what the spec describes; without one, words and
// replicas take no time, and gradients a unit each, give or take a tenth at
// random, so that workers do not march in step. Errors as above.
sim::VirtualTimes make_gossip_times(
    const spec::Spec& spec,
    const tensor::Layout& layout);

} // namespace grapevine::run
