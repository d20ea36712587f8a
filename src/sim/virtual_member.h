// A worker of VirtualGossip, for its own sources.
#pragma once

#include "sim/virtual_gossip.h"

#include <vector>

namespace grapevine::sim {

struct VirtualGossip::Member {
  Member(
      gossip::Replica* replica,
      int rank,
      const VirtualGossipOptions& options)
      : replica(replica),
        pairing(rank, options.neighbours[rank], options.seed) {}

  gossip::Replica* replica;
  gossip::Pairing pairing;
  gossip::UnitClock clock;
  gossip::Statistics statistics;
  int64_t next_gradient = 0;
  bool computes = false;
  double computes_since = 0;
  bool is_held = false; // by max-lag
  double held_since = 0;
  double wants_since = 0;
  bool has_read = false; // for the pair under way
  double paired_since = 0;
  int64_t gradients_at_read = 0;
  std::vector<float> sent; // of the size of the replica once it is needed
};

} // namespace grapevine::sim
