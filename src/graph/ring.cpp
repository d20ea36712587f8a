// Ring: worker i averages with i-1 and i+1 (mod n).
//
//   x_i <- (x_{i-1} + x_i + x_{i+1}) / 3
//
// D_ring of DBench (arXiv 2509.12213). It is the lattice with k = 2; with 2 or
// 3 workers everybody is a neighbour, and one worker mixes nothing.
//
// Cost a step and worker: 2 messages, 2 model copies. Symmetric.
#include "graph/graphs.h"

namespace grapevine::graph {

Mixing make_ring(int n) {
  return Mixing::lattice(n, 2);
}

} // namespace grapevine::graph
