#include "mix/chunks.h"

#include <algorithm>

namespace grapevine::mix {

std::vector<Range>
even_chunks(const Plan& plan, int64_t count, int64_t wanted_bytes) {
  const auto size = static_cast<int64_t>(sizeof(float));
  const int64_t bytes = plan.chunk_bytes(count * size, wanted_bytes);
  const int64_t floats =
      std::max(bytes / size / kChunkMultiple, int64_t{1}) * kChunkMultiple;
  std::vector<Range> chunks;
  for (int64_t at = 0; at < count; at += floats) {
    chunks.push_back({at, std::min(at + floats, count)});
  }
  return chunks;
}

} // namespace grapevine::mix
