// Complete: everybody averages with everybody.
//
//   x_i <- (x_0 + ... + x_{n-1}) / n
//
// D_complete of DBench (arXiv 2509.12213).
//
// Cost a step and worker, as an all-reduce: 2(n-1) messages, 2(n-1)/n model
// copies. Symmetric.
#include "graph/graphs.h"

namespace grapevine::graph {

Mixing make_complete(int n) {
  return Mixing::complete(n);
}

} // namespace grapevine::graph
