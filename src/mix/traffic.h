// What a worker has sent.
#pragma once

#include <cstdint>

namespace grapevine::mix {

// Payload; a message is one logical transfer, however it was cut (one with
// nothing in it is none).
struct Traffic {
  int64_t messages = 0;
  int64_t bytes = 0;

  Traffic& operator+=(const Traffic& more) {
    messages += more.messages;
    bytes += more.bytes;
    return *this;
  }
};

} // namespace grapevine::mix
