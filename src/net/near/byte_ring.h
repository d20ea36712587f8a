// A pipe of bytes in shared memory: one thread writes, another reads, most
// often of another process. Nothing here waits; what one has moved the other
// sees at its next look.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace grapevine::net {

class ByteRing {
 public:
  // What both sides share beside the bytes; zero at first. Bytes since the
  // beginning, one line of cache each.
  struct Marks {
    alignas(64) std::atomic<uint64_t> written;
    alignas(64) std::atomic<uint64_t> read;
  };
  static_assert(std::atomic<uint64_t>::is_always_lock_free);

  // Borrows both. The number of bytes is a power of two.
  ByteRing(Marks& marks, std::span<std::byte> bytes);

  // As much of it as there is room for, and how much that was. The writer.
  size_t write(std::span<const std::byte> bytes);
  size_t room() const;

  // As much as there is, at most that many bytes. The reader.
  size_t read(std::span<std::byte> bytes);
  size_t waiting() const;

 private:
  Marks& marks_;
  std::span<std::byte> bytes_;
};

} // namespace grapevine::net
