// What the averaging thread knows of a neighbour that is linked. For the
// averager's own files.
#pragma once

#include "base/error.h"
#include "gossip/averager.h"

namespace grapevine::gossip {

struct Averager::Peer {
  Peer(member::Edge edge, int size) : edge(edge), channel(edge, size) {}

  member::Edge edge;
  ControlChannel channel;
  bool is_fresh = false;  // by its last word of pairing
  bool said_bye = false;  // this worker
  bool heard_bye = false; // its
  double told_at = 0;     // of news, which every message has
  // In attended seconds.
  double asked_at = 0;
  double heard_at = 0;
};

// In a deadline there are at least so many letters to a neighbour.
inline constexpr double kGapsInDeadline = 4;

template <typename Work>
void Averager::with_peer(int rank, Work&& work) {
  const auto at = peers_.find(rank);
  if (at == peers_.end()) return;
  try {
    work(*at->second);
  } catch (const TransportError& error) {
    lose(rank, error.what());
  }
}

} // namespace grapevine::gossip
