#include "base/heap.h"

#ifdef __linux__
#include <malloc.h>
#endif

namespace grapevine {

ShortLivedBlocks::ShortLivedBlocks() {
#ifdef __linux__
  mallopt(M_MMAP_THRESHOLD, 16 << 10);
#endif
}

ShortLivedBlocks::~ShortLivedBlocks() {
#ifdef __linux__
  // Where glibc's own adjustment of these ends up once a program frees large
  // blocks.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
  malloc_trim(0);
#endif
}

} // namespace grapevine
