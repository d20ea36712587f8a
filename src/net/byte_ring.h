// A pipe of bytes in shared memory: one thread writes, another reads, most
// often of another process. Nothing here waits; what one has moved the other
// sees at its next look.
#pragma once

#include "base/check.h"
#include "base/error.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace grapevine::net {

class ByteRing {
 public:
  // What both sides share beside the bytes; zero at first. Bytes since the
  // beginning, one cache line each.
  struct Marks {
    alignas(64) std::atomic<uint64_t> written;
    alignas(64) std::atomic<uint64_t> read;
  };
  static_assert(std::atomic<uint64_t>::is_always_lock_free);

  // Borrows both. The number of bytes is a power of two.
  ByteRing(Marks& marks, std::span<std::byte> bytes)
      : marks_(marks),
        bytes_(bytes) {
    GV_CHECK(std::has_single_bit(bytes.size()));
  }

  // The writer: writes as much as there is room for, and returns how much.
  size_t write(std::span<const std::byte> bytes) {
    const size_t count = std::min(bytes.size(), room());
    if (count == 0) return 0;
    const uint64_t end = marks_.written.load(std::memory_order_relaxed);
    const size_t place = end & (bytes_.size() - 1);
    const size_t first = std::min(count, bytes_.size() - place);
    std::memcpy(bytes_.data() + place, bytes.data(), first);
    std::memcpy(bytes_.data(), bytes.data() + first, count - first);
    marks_.written.store(end + count, std::memory_order_release);
    return count;
  }
  size_t room() const { return bytes_.size() - waiting(); }

  // The reader: reads as much as there is, at most that many bytes, and
  // returns how much.
  size_t read(std::span<std::byte> bytes) {
    const size_t count = std::min(bytes.size(), waiting());
    if (count == 0) return 0;
    const uint64_t begin = marks_.read.load(std::memory_order_relaxed);
    const size_t place = begin & (bytes_.size() - 1);
    const size_t first = std::min(count, bytes_.size() - place);
    std::memcpy(bytes.data(), bytes_.data() + place, first);
    std::memcpy(bytes.data() + first, bytes_.data(), count - first);
    marks_.read.store(begin + count, std::memory_order_release);
    return count;
  }
  // Throws TransportError if the marks, which the peer can write, cannot be.
  size_t waiting() const {
    const uint64_t count = marks_.written.load(std::memory_order_acquire) -
                           marks_.read.load(std::memory_order_acquire);
    if (count > bytes_.size()) {
      throw TransportError("the peer's shared memory is corrupt");
    }
    return count;
  }

 private:
  Marks& marks_;
  std::span<std::byte> bytes_;
};

} // namespace grapevine::net
