// A block of floats, 64-byte aligned, zero at the start, allocated once.
#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>

namespace grapevine {

class AlignedFloats {
 public:
  AlignedFloats() = default;
  explicit AlignedFloats(int64_t size) : size_(size) {
    // Large blocks ask for large pages: sweeping a plane then misses the
    // translation cache 512 times less often.
    constexpr size_t kHugePage = size_t{2} << 20;
    const size_t wanted = static_cast<size_t>(size) * sizeof(float);
    if (wanted == 0) return;
    const size_t alignment = wanted >= 2 * kHugePage ? kHugePage : 64;
    const size_t bytes = (wanted + alignment - 1) / alignment * alignment;
    auto* block = static_cast<float*>(std::aligned_alloc(alignment, bytes));
    if (block == nullptr) throw std::bad_alloc();
    if (alignment == kHugePage) madvise(block, bytes, MADV_HUGEPAGE);
    std::memset(block, 0, wanted);
    data_.reset(block);
  }

  float* data() { return data_.get(); }
  const float* data() const { return data_.get(); }
  int64_t size() const { return size_; }
  std::span<float> span() { return {data_.get(), static_cast<size_t>(size_)}; }
  std::span<const float> span() const {
    return {data_.get(), static_cast<size_t>(size_)};
  }

 private:
  struct Free {
    void operator()(float* block) const { std::free(block); }
  };
  std::unique_ptr<float[], Free> data_;
  int64_t size_ = 0;
};

} // namespace grapevine
