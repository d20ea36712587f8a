// One worker's part of a plan: what it sends, receives and computes, as data.
//
// A worker has slots, each as long as the plane. Slot 0 is its own value when
// the mixing begins, slot 1 the result; both lie in the plane itself. Further
// slots are scratch.
//
// Everything happens in rounds. The rounds order the work on one chunk of the
// plane; different chunks are in different rounds at the same time (chunk c
// is in round r at time r + c), so that a long chain is a pipeline.
#pragma once

#include "base/range.h"

#include <vector>

namespace grapevine::mix {

// The index-th of `of` nearly equal consecutive pieces of a range. The first
// size % of pieces are one element longer.
struct Piece {
  int index = 0;
  int of = 1;
  bool operator==(const Piece&) const = default;
};
Range piece_of(Range whole, Piece piece);
// Whether the pieces share elements in any range that is long enough. Pieces
// are compared with the whole or with others of the same cut only.
bool overlap(Piece a, Piece b);

inline constexpr int kValue = 0;
inline constexpr int kResult = 1;

// Receives, and the sends of round 0, are posted this many rounds ahead of
// their time, so that the links are busy while a worker computes.
inline constexpr int kPostAhead = 2;

// The j-th send of a worker to a peer meets the j-th receive of that peer from
// the worker, in the same round and of the same piece.
struct Send {
  int round;
  int peer;
  int slot;
  Piece piece = {};
};
struct Receive {
  int round;
  int peer;
  int slot;
  Piece piece = {};
};
// In its round, after that round's receives:
//   dst = (t_0 + t_1 + ...) * scale            when weights is empty
//   dst = w_0*t_0 + w_1*t_1 + ...              otherwise
// from left to right, element by element, in float.
struct Combine {
  int round;
  int dst;
  std::vector<int> terms;
  std::vector<float> weights = {};
  float scale = 1;
  Piece piece = {};
};

// Each list is sorted by round; combines of one round run in their order.
// Since value and result share the plane:
//   - a send of round r uses what was combined in rounds < r, one of round 0
//     the value;
//   - a combine into kResult is the last use of its piece of kValue, but for
//     sends of the same round or before;
//   - a receive into kResult comes more than kPostAhead rounds after the last
//     use of its piece of kValue.
struct Program {
  std::vector<Send> sends;
  std::vector<Receive> receives;
  std::vector<Combine> combines;
  int slots = 2;

  // A new scratch slot.
  int add_slot() { return slots++; }
  // One more than the last round of anything.
  int rounds() const;
};

// When the pipeline acts on a chunk, for whoever runs a program or predicts
// its time. Returns the round in which this send of the program is posted:
// one of the value in its own round, any other in the round after the one that
// wrote what it reads, so that nobody is kept waiting for it when its own
// round has come.
int posting_round(const Program& program, const Send& send);
// Returns the round after which a chunk belongs to its owner again: its result
// is there, and no send reads it. -1 if the program does nothing.
int completion_round(const Program& program);

} // namespace grapevine::mix
