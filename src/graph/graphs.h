// The static graphs, one file each, whose first comment is the definition.
//
// All take n from 1 to kMaxWorkers and throw ConfigError where the definition
// does not allow the n or the parameter asked for.
#pragma once

#include "graph/mixing.h"

#include <cstdint>
#include <string>

namespace grapevine::graph {

Mixing make_ring(int n);
// rows = 0: as square as possible.
Mixing make_torus(int n, int rows);
Mixing make_exponential(int n);
Mixing make_complete(int n);
// k = 0: min(4, n-1).
Mixing make_lattice(int n, int k);
Mixing make_hypercube(int n);
Mixing make_star(int n);
// k = 0: min(4, n-1).
Mixing make_random_regular(int n, int k, uint64_t seed);
Mixing make_edges(int n, const std::string& file);

} // namespace grapevine::graph
