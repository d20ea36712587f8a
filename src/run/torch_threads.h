// One torch thread a worker: several workers share the machine, and the order
// of torch's own sums, so the bits, would depend on the number of threads.
#pragma once

namespace grapevine::run {

// For the calling thread (OpenMP's setting is per thread) and, once for all,
// for the BLAS behind torch where it has a switch of its own.
void use_one_torch_thread();

} // namespace grapevine::run
