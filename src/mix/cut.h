// The pieces in which a plane travels: chunks, grouped into buckets.
//
// All workers cut a plane in the same way. The cut changes times, never
// results.
#pragma once

#include "base/range.h"
#include "mix/plan.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace grapevine::mix {

// Elements. A caller that sums in blocks of this many, as the arena does, gets
// every block whole, whatever the chunks are.
inline constexpr int64_t kChunkMultiple = 4096;

// Immutable and shared.
struct Cut {
  uint64_t id = 0; // differs between any two cuts of a process
  std::vector<Range> chunks;
  std::vector<int64_t> bucket_end; // of each bucket: its last chunk, plus 1

  int buckets() const { return static_cast<int>(bucket_end.size()); }
};
// buckets[b]: the ranges of bucket b; they are cut if they are longer than
// chunk_bytes.
std::shared_ptr<const Cut> make_cut(
    std::span<const std::vector<Range>> buckets,
    int64_t chunk_bytes);

// A plane of `count` floats from its beginning to its end, in chunks of the
// same length but for the last, as finely as the plan likes it if the options
// ask for `wanted_bytes`.
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
