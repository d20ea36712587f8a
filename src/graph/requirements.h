// What a definition demands of n, and the answer where n does not meet it.
#pragma once

#include <string_view>

namespace grapevine::graph {

bool is_power_of_two(int n);

// Throws ConfigError unless `count` is a power of two. `what` is what is
// counted, such as "n"; `scale` * count is the number of workers, so that the
// message names values of n.
void require_power_of_two(
    std::string_view graph,
    std::string_view what,
    int count,
    int scale = 1);

// Throws ConfigError unless 0 <= k <= n-1.
void require_degree_in_range(std::string_view graph, int n, int k);

} // namespace grapevine::graph
