// The first error of a transport: it wins and stays, later calls repeat it.
#pragma once

#include "base/check.h"
#include "base/error.h"
#include "net/transport.h"

#include <fmt/format.h>

#include <string>

namespace grapevine::net {

enum class Direction { kSend, kRecv };

inline std::string describe(Direction direction, int64_t bytes, int peer) {
  return fmt::format(
      "{} {} bytes {} worker {}",
      direction == Direction::kSend ? "sending" : "receiving",
      bytes,
      direction == Direction::kSend ? "to" : "from",
      peer);
}

class Failure {
 public:
  bool happened() const { return !message_.empty(); }
  const std::string& message() const { return message_; }

  void throw_if_happened() const {
    if (!happened()) return;
    throw TransportError(
        "the transport has failed before and is of no more use: " + message_);
  }

  // Keeps the first message; the caller throws.
  void remember(const std::string& message) {
    if (!happened()) message_ = message;
  }

  // Runs a call of a transport that is wrapped: its first error is ours too.
  template <typename Call>
  void guard(Call&& call) {
    try {
      call();
    } catch (const TransportError& error) {
      remember(error.what());
      throw;
    }
  }

 private:
  std::string message_;
};

// What recv_at_most asks of its room besides.
inline void check_room(size_t bytes) {
  GV_CHECK_LE(bytes, kMostRoom);
}

// Whether a message may be received so.
inline bool fits(size_t sent, size_t room, bool may_be_shorter) {
  return may_be_shorter ? sent <= room : sent == room;
}

// What every send and recv asks of its arguments.
inline void check_operation(int rank, int size, int peer, Tag tag) {
  GV_CHECK_GE(peer, 0);
  GV_CHECK_LT(peer, size);
  if (peer == rank) {
    throw CheckFailure(
        fmt::format("worker {} must not send to or receive from itself", rank));
  }
  GV_CHECK_GE(tag, 0);
  GV_CHECK_LE(tag, kMaxTag);
}

} // namespace grapevine::net
