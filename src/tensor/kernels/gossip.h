// One pass over a piece of a replica that takes part in asynchronous gossip:
// its parameters x and, with the continuous momentum of A2CiD2, their
// companion y, which trails behind.
//
// Every pass begins with what the two are once they have flowed towards each
// other for the time since they last did, share = (1 - exp(-2 eta tau)) / 2:
//
//   x' = x + share (y - x) ;  y' = y - share (y - x)        x + y is conserved
//
// Without a companion (y null) nothing flows. Each operation is rounded to
// float, the same on all instruction sets.
#pragma once

#include <cstdint>

namespace grapevine::tensor {

struct GossipPlanes {
  float* x = nullptr;
  float* y = nullptr; // or null
  int64_t count = 0;
  float share = 0; // of the flow; 0 leaves all bits as they are
};

// out = x'. The planes stay as they are: to write them would double the memory
// that a reading moves.
void gossip_read(const GossipPlanes& planes, float* out);

// Flow, and nothing else.
void gossip_flow(const GossipPlanes& planes);

// Flow; then with delta = mine - theirs, x -= alpha delta, y -= alpha_y delta.
// Whoever calls it with mine and theirs exchanged has exactly the opposite
// delta.
void gossip_pull(
    const GossipPlanes& planes,
    const float* mine,
    const float* theirs,
    float alpha,
    float alpha_y);

// Flow; then x and y both move by (after - before), and after becomes x.
void gossip_move(const GossipPlanes& planes, const float* before, float* after);

} // namespace grapevine::tensor
