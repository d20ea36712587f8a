// A block of floats, 64-byte aligned, zero at the start, allocated once.
#pragma once

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
    const size_t bytes =
        (static_cast<size_t>(size) * sizeof(float) + 63) / 64 * 64;
    if (bytes == 0) return;
    auto* block = static_cast<float*>(std::aligned_alloc(64, bytes));
    if (block == nullptr) throw std::bad_alloc();
    std::memset(block, 0, bytes);
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
