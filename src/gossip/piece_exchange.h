// One averaging between two workers: their replicas pass each other piece by
// piece, a few pieces under way at once, while both go on computing.
//
//   for each piece: mine = read, sent; theirs received; pull(mine, theirs)
//
// A worker whose replica is fresh (it has just begun, while others have not)
// takes the other's values and gives nothing: its own are sent, since both
// sides move the same bytes, but not used.
//
// Nothing here waits; the owner calls advance() until it is done.
#pragma once

#include "gossip/replica.h"
#include "member/edges.h"

#include <array>
#include <cstdint>
#include <vector>

namespace grapevine::gossip {

class PieceExchange {
 public:
  enum class Manner { kAverage, kGive, kTake };

  // The replica is borrowed. Its buffers are used again by every exchange.
  explicit PieceExchange(Replica& replica);

  // now: of the replica's clock; gradients: that the worker has computed.
  struct Moment {
    double units = 0;
    int64_t gradients = 0;
  };
  void begin(member::Edge edge, Manner manner, Moment now);
  // Does what can be done without waiting. True if anything was. Throws what
  // the transport throws; then the exchange is over, and pieces that had not
  // come are as if it had not been.
  bool advance(Moment now);
  bool is_done() const { return pulled_ == replica_.pieces(); }
  Manner manner() const { return manner_; }
  // The peer is gone, and its edge closed.
  void give_up() { posted_ = pulled_ = replica_.pieces(); }
  // Most gradients of this worker between what was read and what was written.
  int64_t staleness() const { return staleness_; }

 private:
  // What is under way at once: enough to keep both directions of a link busy
  // while pieces are read and written.
  static constexpr int kWindow = 4;
  struct Slot {
    std::vector<float> mine;
    std::vector<float> theirs;
    net::Request send;
    net::Request receive;
    int64_t gradients = 0; // when it was read
  };

  bool post(Moment now);
  bool collect(Moment now);
  void use(int piece, Slot& slot, Moment now);

  Replica& replica_;
  member::Edge edge_;
  Manner manner_ = Manner::kAverage;
  std::array<Slot, kWindow> slots_;
  int posted_ = 0;
  int pulled_ = 0;
  int64_t staleness_ = 0;
};

} // namespace grapevine::gossip
