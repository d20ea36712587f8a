// The part of a spec that names its graph.
#pragma once

#include "graph/schedule.h"
#include "spec/spec.h"

namespace grapevine::spec {

graph::GraphOptions graph_options(const Spec& spec);

} // namespace grapevine::spec
