// Who may average with whom in asynchronous gossip: all that a schedule joins
// in any of its steps, in either direction; where the graph changes with the
// epochs (Ada), at its beginning, which has the most.
#pragma once

#include "graph/schedule.h"

#include <vector>

namespace grapevine::gossip {

// Of each worker, ascending; symmetric.
std::vector<std::vector<int>> neighbours_in(const graph::Schedule& schedule);

} // namespace grapevine::gossip
