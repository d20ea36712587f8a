#include "base/aligned.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <new>

namespace grapevine {
namespace {

constexpr size_t kLine = 64;
constexpr size_t kMapFrom = size_t{256} << 10;
constexpr size_t kHugePage = size_t{2} << 20;

size_t round_up(size_t value, size_t unit) {
  return (value + unit - 1) / unit * unit;
}

} // namespace

AlignedFloats::AlignedFloats(int64_t size) : size_(size) {
  const size_t bytes = static_cast<size_t>(size) * sizeof(float);
  if (bytes == 0) return;
  if (bytes < kMapFrom) {
    void* block = std::aligned_alloc(kLine, round_up(bytes, kLine));
    if (block == nullptr) throw std::bad_alloc();
    std::memset(block, 0, bytes);
    data_.reset(static_cast<float*>(block));
    return;
  }
  // Room to begin at a large page, where that pays.
  const bool huge = bytes >= 2 * kHugePage;
  const size_t mapped_bytes = bytes + (huge ? kHugePage : 0);
  void* mapped = mmap(
      nullptr,
      mapped_bytes,
      PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS,
      -1,
      0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  void* begin = mapped;
  if (huge) {
    size_t room = mapped_bytes;
    std::align(kHugePage, bytes, begin, room);
    madvise(begin, bytes, MADV_HUGEPAGE);
  }
  data_ = std::unique_ptr<float[], FreeFloats>(
      static_cast<float*>(begin),
      FreeFloats{mapped, mapped_bytes});
}

void FreeFloats::operator()(float* block) const {
  if (mapped != nullptr) {
    munmap(mapped, mapped_bytes);
  } else {
    std::free(block);
  }
}

} // namespace grapevine
