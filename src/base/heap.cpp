#include "base/heap.h"

#include <mutex>

#ifdef __linux__
#include <malloc.h>
#endif

namespace grapevine {
namespace {

// The setting is the process's, and so is the count of those who want it:
// runs side by side make their replicas at the same time.
std::mutex mutex;
int wanted = 0; // guarded by mutex

} // namespace

ShortLivedBlocks::ShortLivedBlocks() {
  const std::lock_guard lock(mutex);
  if (wanted++ > 0) return;
#ifdef __linux__
  mallopt(M_MMAP_THRESHOLD, 16 << 10);
#endif
}

ShortLivedBlocks::~ShortLivedBlocks() {
  const std::lock_guard lock(mutex);
  if (--wanted > 0) return;
#ifdef __linux__
  // The most that glibc allows, and where its own adjustment ends up once a
  // program frees large blocks.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  // Nothing goes back while a step ends: the next one would have all its
  // activations cleared by the kernel again (a sixth of ResNet20's time).
  mallopt(M_TRIM_THRESHOLD, -1);
  malloc_trim(0);
#endif
}

} // namespace grapevine
