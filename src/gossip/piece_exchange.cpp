#include "gossip/piece_exchange.h"

#include "gossip/control_channel.h"

#include <algorithm>
#include <span>

namespace grapevine::gossip {

PieceExchange::PieceExchange(Replica& replica)
    : replica_(replica),
      posted_(replica.pieces()),
      pulled_(replica.pieces()) {}

void PieceExchange::begin(member::Edge edge, Manner manner, Moment now) {
  edge_ = edge;
  manner_ = manner;
  posted_ = 0;
  pulled_ = 0;
  staleness_ = 0;
  post(now);
}

bool PieceExchange::advance(Moment now) {
  const bool collected = collect(now);
  return post(now) || collected;
}

bool PieceExchange::post(Moment now) {
  bool any = false;
  while (posted_ < replica_.pieces() && posted_ - pulled_ < kWindow) {
    Slot& slot = slots_[posted_ % kWindow];
    const int64_t count = replica_.range(posted_).size();
    slot.mine.resize(count);
    slot.theirs.resize(count);
    replica_.read(posted_, now.units, slot.mine);
    slot.gradients = now.gradients;
    slot.receive = edge_.transport->recv(
        std::as_writable_bytes(std::span(slot.theirs)),
        edge_.peer,
        kPieceTag);
    slot.send = edge_.transport->send(
        std::as_bytes(std::span<const float>(slot.mine)),
        edge_.peer,
        kPieceTag);
    ++posted_;
    any = true;
  }
  return any;
}

// In order, as they were posted: a request that is spent is not asked again.
bool PieceExchange::collect(Moment now) {
  bool any = false;
  while (pulled_ < posted_) {
    Slot& slot = slots_[pulled_ % kWindow];
    if (slot.receive.valid() && edge_.transport->test(slot.receive)) {
      slot.receive = {};
    }
    if (slot.send.valid() && edge_.transport->test(slot.send)) slot.send = {};
    if (slot.receive.valid() || slot.send.valid()) break;
    use(pulled_, slot, now);
    ++pulled_;
    any = true;
  }
  return any;
}

void PieceExchange::use(int piece, Slot& slot, Moment now) {
  staleness_ = std::max(staleness_, now.gradients - slot.gradients);
  if (manner_ == Manner::kAverage) {
    replica_.pull(piece, now.units, slot.mine, slot.theirs);
  } else if (manner_ == Manner::kTake) {
    replica_.take(piece, now.units, slot.theirs);
  }
}

} // namespace grapevine::gossip
