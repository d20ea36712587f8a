// Runs one worker's program over a link, pipelined in the chunks of a cut.
//
// Chunk c of round r is due at time r + c. At each time, in this order:
//
//   1. post the receives due kPostAhead later;
//   2. post the sends of later rounds whose data is there, at their time or
//      before it, and begin the chunk due kPostAhead later (event `before`,
//      sends of round 0);
//   3. wait for the receives due now, and combine;
//   4. complete chunks (event `after`).
//
// Nothing blocks in 2, and what 1 and 3 wait for was posted by the peer at the
// same time or before (sends: received in the peer's 1 of an earlier time;
// receives: sent in the peer's 2 of this time or before), so there is no circle
// of waiting whatever the transport buffers.
//
// A scratch slot holds only the chunks that are alive at once: a ring of
// entries, with sends waited for before their entry is used again.
#pragma once

#include "mix/cut.h"
#include "mix/link.h"
#include "mix/plan.h"

#include <span>
#include <vector>

namespace grapevine::mix {

class MixExecutor {
 public:
  MixExecutor(const Plan& plan, int rank, std::vector<Range> chunks);

  // Scratch that run needs, in floats. It may be shared with other executors
  // that do not run at the same time.
  int64_t scratch_floats() const { return scratch_floats_; }
  // What one run sends.
  Traffic traffic() const { return traffic_; }
  // False where this worker's value stays as it is: then `result` is not
  // written.
  bool changes_value() const { return changes_value_; }

  // From `value` into `result`, which may be the same plane.
  void run(
      Link& link,
      float* value,
      float* result,
      float* scratch,
      ChunkEvents& events);

 private:
  struct Slot {
    // The pieces that it ever holds: [first, last] of a cut into `of`.
    int first = 0;
    int last = 0;
    int of = 0; // 0: not used
    int first_write = 0;
    int last_use = 0;
    bool received = false;
    // The ring.
    int64_t offset = 0;
    int64_t entry = 0;
    int64_t entries = 0;
  };
  struct Transfer {
    int round;
    int peer;
    int slot;
    Piece piece;
    net::Tag tag;
    int posting_round;             // of sends
    std::vector<int> sends_before; // receives only, as in Sum
    std::vector<Ticket> tickets;   // one for each chunk
  };
  struct Sum {
    Combine what;
    // Sends that read what this writes over: they must be through first.
    std::vector<int> sends_before;
  };

  void add_transfers(const Program& program);
  void add_sums(const Program& program);
  void note(int slot, Piece piece);
  void lay_out_slots();
  void find_sends_before();
  std::vector<int> sends_reading(int slot, Piece piece) const;
  void check_rules() const;

  int64_t chunks() const { return static_cast<int64_t>(chunks_.size()); }
  bool in_range(int64_t c) const { return c >= 0 && c < chunks(); }
  std::span<float> address(int slot, Piece piece, int64_t c) const;

  void post_receives(Link& link, int64_t time);
  void post_sends(Link& link, int64_t time, ChunkEvents& events);
  void post_send(Link& link, Transfer& send, int64_t c);
  void finish_receives(Link& link, int64_t time);
  void combine(Link& link, int64_t time);
  void complete_chunk(Link& link, int64_t time, ChunkEvents& events);
  // The sends listed, of the chunk whose place chunk c takes in `slot`.
  void wait_for_sends(
      Link& link,
      const std::vector<int>& sends,
      int slot,
      int64_t c);

  std::vector<Range> chunks_;
  std::vector<Slot> slots_;
  std::vector<Transfer> sends_;
  std::vector<Transfer> receives_;
  std::vector<Sum> sums_;
  std::vector<const float*> terms_; // of the combine at hand
  int completion_round_ = 0;
  int rounds_ = 0;
  int64_t scratch_floats_ = 0;
  bool changes_value_ = false;
  Traffic traffic_;
  // Of the run at hand.
  float* value_ = nullptr;
  float* result_ = nullptr;
  float* scratch_ = nullptr;
};

} // namespace grapevine::mix
