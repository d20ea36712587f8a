// The small messages between two workers of an asynchronous run, in order and
// without waiting for anybody. One length for all of them, so that a receive
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
  // The words of gossip/pairing.h have their own numbers.
  enum Kind : uint8_t {
    kNews = 99,    // nothing but what the sender knows
    kEnding = 100, // no gradients any more; please come to an end, too
    kBye = 101,    // my last letter: I will neither ask nor answer
  };
  uint8_t kind = 0;
  // Its replica is not worth averaging with: it has just begun and would like
  // to have the reader's.
  bool is_fresh = false;
  News news;
};

// Bytes of a letter in a run of `size` workers.
int64_t control_message_bytes(int size);

// One neighbour's two directions. Everything throws what the transport throws.
class ControlChannel {
 public:
  // size: workers of the run.
  ControlChannel(member::Edge edge, int size);

  // Goes on its way; kept until it has left.
  void send(const ControlMessage& letter);
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

  member::Edge edge_;
  int size_;
  std::vector<std::byte> incoming_;
  net::Request receive_;
  bool is_closed_ = false;
  std::deque<Outgoing> outgoing_;
  std::vector<std::vector<std::byte>> spare_; // used again
};

} // namespace grapevine::gossip
