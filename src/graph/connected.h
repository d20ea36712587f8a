// Whether everybody can hear of everybody, perhaps through others.
#pragma once

#include <functional>
#include <optional>
#include <vector>

namespace grapevine::graph {

// The lowest worker that cannot be reached from worker 0 along
// neighbours_of(i); none if the graph is connected.
std::optional<int> first_unreachable(
    int n,
    const std::function<std::vector<int>(int)>& neighbours_of);

} // namespace grapevine::graph
