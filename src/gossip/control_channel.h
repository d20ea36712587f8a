// The small messages between two workers of an asynchronous run, in order and
// without waiting. One length for all of them, so that a receive
// can be posted before it is known what will come.
//
//   byte 0        what is said
//   byte 1        flags of who says it
//   bytes 8 …     how many gradients each worker has computed, as far as the
//                 sender knows: 64 bits each, in the machine's order
//   then          how old each of these counts is: seconds, a double each
#pragma once

#include "gossip/progress_estimator.h"
#include "member/edges.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

namespace grapevine::gossip {

// Tags on an edge's transport; comm's are below.
inline constexpr net::Tag kControlTag = 2000;
inline constexpr net::Tag kPieceTag = 2001;

struct ControlMessage {
  // Besides the messages of gossip/pairing.h, which have their own numbers.
  enum Kind : uint8_t {
    kNews = 99,    // nothing but what the sender knows
    kEnding = 100, // the sender computes no more gradients; end, too
    kBye = 101,    // its last message: it will neither ask nor answer
  };
  uint8_t kind = 0;
  // The sender's replica is not worth averaging with: it has just begun and
  // asks for the reader's values.
  bool is_fresh = false;
  News news;
};

// Bytes of a message in a run of `size` workers.
int64_t control_message_bytes(int size);

// One neighbour's two directions. Everything throws what the transport throws,
// and TransportError for a message that no worker sends.
class ControlChannel {
 public:
  // size: workers of the run; most_gradients: that one of them can have
  // computed.
  ControlChannel(member::Edge edge, int size, int64_t most_gradients);

  // Goes on its way; kept until it has left.
  void send(const ControlMessage& message);
  // The next that has come, if any. After a bye nothing comes.
  std::optional<ControlMessage> receive();
  // Whether all that was sent has left.
  bool is_empty();

 private:
  struct Outgoing {
    std::vector<std::byte> bytes;
    net::Request request;
  };
  void retire();
  void check(const ControlMessage& message) const;

  member::Edge edge_;
  int size_;
  int64_t most_gradients_;
  std::vector<std::byte> incoming_;
  net::Request receive_;
  bool is_closed_ = false;
  std::deque<Outgoing> outgoing_;
  std::vector<std::vector<std::byte>> spare_; // used again
};

} // namespace grapevine::gossip
