#include "net/near/byte_ring.h"

#include "base/check.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace grapevine::net {

ByteRing::ByteRing(Marks& marks, std::span<std::byte> bytes)
    : marks_(marks),
      bytes_(bytes) {
  GV_CHECK(std::has_single_bit(bytes.size()));
}

size_t ByteRing::waiting() const {
  return marks_.written.load(std::memory_order_acquire) -
         marks_.read.load(std::memory_order_acquire);
}

size_t ByteRing::room() const {
  return bytes_.size() - waiting();
}

size_t ByteRing::write(std::span<const std::byte> bytes) {
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

size_t ByteRing::read(std::span<std::byte> bytes) {
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

} // namespace grapevine::net
