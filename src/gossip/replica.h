// What a worker of an asynchronous run shares between the thread that computes
// its gradients and the thread that averages with peers: its parameters x and,
// with momentum, their companion y (gossip/dynamics.h).
//
// The planes are cut into pieces, each with a lock of its own and the moment up
// to which x and y have flowed towards each other. Both threads change x only
// by adding to it, under the piece's lock:
//
//   move   x += what the local rule did to the snapshot that the gradient was
//               taken at                                       (y the same)
//   pull   x -= alpha (mine - theirs)              (y -= alpha_y of the same)
//
// where `mine` is what read() gave and went to the peer, `theirs` what the peer
// read and sent. So no update is lost however the two interleave; and since
// both ends of a pair use the same two copies, what one adds is what the other
// takes away: x_i + x_j is conserved to rounding, whatever either did
// meanwhile. Gradients between read and pull are the averaging's staleness.
//
// The model itself never sees the shared planes: it reads a snapshot, the
// parameters of its arena, which move() brings up to date piece by piece.
#pragma once

#include "algo/local_rule.h"
#include "base/aligned.h"
#include "base/range.h"
#include "gossip/dynamics.h"
#include "tensor/arena.h"
#include "tensor/kernels/gossip.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace grapevine::gossip {

class Replica {
 public:
  // x and y begin as the arena's parameters. The arena is borrowed; only
  // move(), begin_from() and the thread of the gradients touch it. Pieces have
  // about piece_bytes, at least a block of the layout.
  Replica(tensor::Arena& arena, const Dynamics& dynamics, int64_t piece_bytes);

  int pieces() const { return static_cast<int>(pieces_.size()); }
  Range range(int piece) const { return pieces_[piece]->range; }
  // Other constants from now on; with a companion or without one as before.
  // Any thread.
  void set_dynamics(const Dynamics& dynamics, double now);

  // `now` is in units of this worker's clock (gossip/unit_clock.h) and never
  // falls by more than two threads' disagreement: an earlier one than a
  // piece's own is taken for that.

  // Any thread. Spans have the piece's size.
  void read(int piece, double now, std::span<float> out);
  void pull(
      int piece,
      double now,
      std::span<const float> mine,
      std::span<const float> theirs);
  // x and y become another's values; the snapshot does not see it before the
  // next move() or refresh().
  void take(int piece, double now, std::span<const float> theirs);

  // The thread of the gradients: the local rule acts on the snapshot with the
  // arena's gradient, x and y follow, and the snapshot becomes x.
  void
  move(const algo::LocalRule& rule, const algo::StepInfo& info, double now);

  // The snapshot becomes x. The thread of the gradients.
  void refresh(double now);

  // The values in this moment, piece by piece: what is evaluated and stored.
  void copy_to(double now, std::span<float> out);

  // The planes themselves, while no other thread is at work.
  std::span<float> x() { return x_.span(); }
  std::span<float> y() { return y_.span(); } // empty without momentum
  // x and y are given new values (a checkpoint's, a neighbour's, an average),
  // the snapshot too. Any thread but beside move(); flow begins at `now`.
  void begin_from(std::span<const float> values, double now);
  // For checkpoints of a replica whose pieces flow together, as in virtual
  // time: when they last have.
  double flowed() const;
  void set_flowed(double moment);

 private:
  struct Piece {
    Range range;
    mutable std::mutex mutex;
    // Guarded by mutex, as x and y of the range are.
    double flowed = 0;
    Dynamics dynamics;
  };

  // Of the flow of a locked piece up to `now`.
  static float share_until(const Piece& piece, double now);
  // The same of a piece that the caller lets flow.
  static float flow_until(Piece& piece, double now);
  // Of a locked piece.
  void set_values(Piece& piece, const float* values, double now);
  // Of the shared planes.
  tensor::GossipPlanes planes(Range range, float share);
  void move_piece(
      Piece& piece,
      const algo::LocalRule& rule,
      const algo::StepInfo& info,
      double now);

  tensor::Arena& arena_;
  AlignedFloats x_;
  AlignedFloats y_;
  std::vector<std::unique_ptr<Piece>> pieces_;
  std::vector<float> before_; // a block of the snapshot; of move() alone
};

} // namespace grapevine::gossip
