#include "mix/cut.h"

#include <algorithm>
#include <atomic>

namespace grapevine::mix {
namespace {

int64_t floats_of(int64_t chunk_bytes) {
  const int64_t floats = chunk_bytes / static_cast<int64_t>(sizeof(float));
  return std::max(floats / kChunkMultiple, int64_t{1}) * kChunkMultiple;
}

void append_chunks(std::vector<Range>& chunks, Range range, int64_t floats) {
  for (int64_t at = range.begin; at < range.end; at += floats)
    chunks.push_back({at, std::min(at + floats, range.end)});
}

} // namespace

std::shared_ptr<const Cut> make_cut(
    std::span<const std::vector<Range>> buckets,
    int64_t chunk_bytes) {
  static std::atomic<uint64_t> next_id{1};
  auto cut = std::make_shared<Cut>();
  cut->id = next_id++;
  for (const std::vector<Range>& ranges : buckets) {
    for (const Range& range : ranges)
      append_chunks(cut->chunks, range, floats_of(chunk_bytes));
    cut->bucket_end.push_back(static_cast<int64_t>(cut->chunks.size()));
  }
  return cut;
}

std::vector<Range>
even_chunks(const Plan& plan, int64_t count, int64_t wanted_bytes) {
  const int64_t plane_bytes = count * static_cast<int64_t>(sizeof(float));
  std::vector<Range> chunks;
  append_chunks(
      chunks,
      {0, count},
      floats_of(plan.chunk_bytes(plane_bytes, wanted_bytes)));
  return chunks;
}

} // namespace grapevine::mix
