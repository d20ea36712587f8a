// A block of floats, 64-byte aligned, zero at the start, allocated once.
//
// Large blocks come straight from the kernel. So they do not break up the
// heap, where what torch allocates for one replica is used again for the next;
// and they can ask for large pages, with which a sweep over a plane misses the
// translation cache 512 times less often.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

namespace grapevine {

struct FreeFloats {
  void operator()(float* block) const;
  void* mapped = nullptr; // null: from the heap
  size_t mapped_bytes = 0;
};

class AlignedFloats {
 public:
  AlignedFloats() = default;
  // Throws std::bad_alloc.
  explicit AlignedFloats(int64_t size);

  float* data() { return data_.get(); }
  const float* data() const { return data_.get(); }
  int64_t size() const { return size_; }
  std::span<float> span() { return {data_.get(), static_cast<size_t>(size_)}; }
  std::span<const float> span() const {
    return {data_.get(), static_cast<size_t>(size_)};
  }

 private:
  std::unique_ptr<float[], FreeFloats> data_;
  int64_t size_ = 0;
};

} // namespace grapevine
