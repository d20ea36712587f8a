// How far a sequence of mixings is from the global average:
//
//   || W_T ... W_2 W_1 - 11^T/n ||_2
//
// By Lanczos iteration on B^T B, applying the mixings to vectors; no matrix is
// multiplied out. Results below about 1e-15 are rounding, that is, zero.
#pragma once

#include "graph/mixing.h"

#include <memory>
#include <vector>

namespace grapevine::graph {

double distance_from_average(
    const std::vector<std::shared_ptr<const Mixing>>& steps);

} // namespace grapevine::graph
