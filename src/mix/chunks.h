// The pieces in which a plane travels.
//
// All workers cut a plane in the same way. The cut changes times, never
// results.
#pragma once

#include "base/range.h"
#include "mix/plan.h"

#include <cstdint>
#include <vector>

namespace grapevine::mix {

// Elements. A caller that sums in blocks of this many, as the arena does, gets
// every block whole, whatever the chunks are.
inline constexpr int64_t kChunkMultiple = 4096;

// A plane of `count` floats from its beginning to its end, in chunks of the
// same length but for the last, as finely as the plan likes it where the
// options ask for `wanted_bytes`.
std::vector<Range>
even_chunks(const Plan& plan, int64_t count, int64_t wanted_bytes);

// What whoever runs a plan tells the owner of the plane, chunk by chunk in the
// order of the cut, each chunk once.
class ChunkEvents {
 public:
  virtual ~ChunkEvents() = default;
  // Chunk c is about to be read and sent for the first time. May block until
  // the owner has finished it.
  virtual void before(int64_t c) = 0;
  // Its result is there, and nothing reads its value any more.
  virtual void after(int64_t c) = 0;
};

} // namespace grapevine::mix
