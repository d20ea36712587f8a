// Runs a plan for all n workers of a virtual cluster, whose planes lie in one
// process: O(n d) for any lattice, the same bits as the communicator gives.
//
// Works through the planes in blocks small enough for the cache, so that the
// scratch is a constant and not a plane a worker. The result does not depend
// on the number of threads.
#pragma once

#include "base/aligned.h"
#include "base/thread_pool.h"
#include "mix/plan.h"

#include <span>
#include <vector>

namespace grapevine::mix {

class VirtualMixer {
 public:
  // Borrows the pool.
  explicit VirtualMixer(ThreadPool& pool);

  // planes[i]: `count` floats of worker i, replaced by the mixed values.
  // Allocates only where a plan needs more scratch than those before.
  void mix(const Plan& plan, std::span<float* const> planes, int64_t count);

 private:
  struct Workspace {
    AlignedFloats scratch;
    std::vector<float*> values; // the planes at the block at hand
  };
  ThreadPool& pool_;
  std::vector<Workspace> workspaces_; // one for each thread
};

} // namespace grapevine::mix
