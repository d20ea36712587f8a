// How the heap is used while replicas are made.
#pragma once

namespace grapevine {

// While it lives, blocks of 16 kB and more come straight from the kernel and
// go back there when they are freed. A replica's tensors live only until they
// move into its planes; on the heap they would leave holes, half a plane a
// replica, that nothing fits into. Afterwards large blocks are kept for reuse,
// which suits activations. Affects the whole process; does nothing where the
// C library has no such setting.
class ShortLivedBlocks {
 public:
  ShortLivedBlocks();
  ~ShortLivedBlocks();
  ShortLivedBlocks(const ShortLivedBlocks&) = delete;
  ShortLivedBlocks& operator=(const ShortLivedBlocks&) = delete;
};

} // namespace grapevine
