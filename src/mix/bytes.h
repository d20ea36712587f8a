// Bytes that another worker has sent, read with a look at their end: what does
// not fit throws TransportError.
#pragma once

#include "base/error.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace grapevine::mix {

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  bool is_done() const { return rest_.empty(); }
  std::string_view take(uint64_t count) {
    if (count > rest_.size()) {
      throw TransportError("a worker has sent something malformed");
    }
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  template <typename Item>
  Item read() {
    static_assert(std::is_trivially_copyable_v<Item>);
    Item item;
    std::memcpy(&item, take(sizeof(Item)).data(), sizeof(Item));
    return item;
  }
  // Its length before it.
  std::string text() { return std::string(take(read<uint64_t>())); }

 private:
  std::string_view rest_;
};

// What the functions above read.
template <typename Item>
void append(std::string& bytes, const Item& item) {
  static_assert(std::is_trivially_copyable_v<Item>);
  bytes.append(reinterpret_cast<const char*>(&item), sizeof(Item));
}
inline void append(std::string& bytes, const std::string& text) {
  append(bytes, static_cast<uint64_t>(text.size()));
  bytes += text;
}

template <typename Item>
std::string to_bytes(std::span<const Item> items) {
  std::string bytes;
  for (const Item& item : items)
    append(bytes, item);
  return bytes;
}
// All items of that type, to the end.
template <typename Item>
std::vector<Item> from_bytes(std::string_view bytes) {
  std::vector<Item> items;
  for (ByteReader reader(bytes); !reader.is_done();)
    items.push_back(reader.read<Item>());
  return items;
}

} // namespace grapevine::mix
