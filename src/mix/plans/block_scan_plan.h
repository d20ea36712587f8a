// Window sums of a lattice from prefix and suffix sums, for models so large
// that bandwidth rules: at most 4 planes a worker for any k.
//
// The ring is cut into ceil(n/m) blocks of nearly equal length, m = k+1.
// Along each block the workers pass, in a pipeline,
//
//   P(p) = P(p-1) + x(p)   to the right,   S(p) = x(p) + S(p+1)   to the left
//
// and the window that begins at w = i - k/2 and ends at z = i + k/2 is
//
//   x_i <- ((S(w) + T) + P(z)) / m
//
// with T the sum of the whole block between those of w and z, if there is
// one: it holds i itself, so T = P(i) + S(i+1) is computed from what i has
// seen pass by. A window that is one whole block is T alone.
//
// A worker sends P and S along its block and to the one owner each whose
// window begins or ends with it: at most 4 messages and 4 planes. As many
// rounds as the longest block has workers.
#pragma once

#include "mix/plan.h"

namespace grapevine::mix {

class BlockScanPlan : public Plan {
 public:
  // 2 <= k <= n-2, even.
  BlockScanPlan(int n, int k);

  // The number of rounds, from which the plan is chosen.
  static int longest_block(int n, int k);

  std::string name() const override { return "block-scan"; }
  std::string describe() const override;
  int n() const override { return n_; }
  Program program(int rank) const override;
  Dataflow dataflow() const override;
  int64_t chunk_bytes(int64_t plane_bytes, int64_t wanted) const override;

 private:
  // Where a worker stands in its block.
  struct Place {
    int block;
    int position;
    int length;
    int first; // the rank of the block's first worker
    bool at_start() const { return position == 0; }
    bool at_end() const { return position == length - 1; }
    // When P and S of this worker are sent: as soon as they are there.
    int prefix_round() const { return position; }
    int suffix_round() const { return length - 1 - position; }
  };
  struct Window {
    int first;
    int last;
    // Which of the sums it consists of: a block's total alone; or a suffix
    // and a prefix, with or without a total between.
    bool one_block;
    bool has_total;
  };

  int wrap(int i) const { return (i % n_ + n_) % n_; }
  Place place(int rank) const;
  Window window(int owner) const;

  int n_;
  int k_;
  int blocks_;
  float scale_;
};

} // namespace grapevine::mix
