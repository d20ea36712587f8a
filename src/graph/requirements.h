// What a definition demands of n, and the answer where n does not meet it.
#pragma once

#include <string_view>

namespace grapevine::graph {

bool is_power_of_two(int n);

// Throws ConfigError unless n is a power of two.
void require_power_of_two(std::string_view graph, int n);

// Throws ConfigError unless 0 <= k <= n-1.
void require_degree_in_range(std::string_view graph, int n, int k);

} // namespace grapevine::graph
