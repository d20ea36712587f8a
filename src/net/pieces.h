// Long messages travel in pieces: MPI counts in int, and Gloo moves one large
// buffer at half duplex. Both sides cut by the same rule.
#pragma once

#include <algorithm>
#include <cstddef>

namespace grapevine::net {

// Calls visit(offset, length) for consecutive pieces of at most `limit` bytes;
// once, with length 0, for an empty message.
template <typename Visit>
void for_each_piece(size_t bytes, size_t limit, Visit&& visit) {
  size_t offset = 0;
  do {
    const size_t length = std::min(limit, bytes - offset);
    visit(offset, length);
    offset += length;
  } while (offset < bytes);
}

} // namespace grapevine::net
