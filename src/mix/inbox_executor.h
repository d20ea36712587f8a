// Moves what a mixing needs and leaves the sum to whoever uses it.
//
// Where a worker's new value is one sum over its own value and what a few
// neighbours send (pairs, rings, small direct plans), the neighbours' values
// are received into inboxes, planes of their own, and nobody combines them
// here: the update reads them as terms (tensor/kernels/mix_terms.h), which
// saves a pass over memory. Sends and messages are those of mix/mix_executor.h,
// so a peer may run either. With near peers nothing is sent: they read each
// other's outbox (mix/windows.h), and the terms are the outboxes themselves.
//
// A few chunks are in flight at once; with near peers alone there is no link to
// keep busy and no bound: a chunk is published as soon as it is released, and
// handed over as soon as it is found complete after that. A chunk's inbox is
// written from `before` of that chunk on.
#pragma once

#include "mix/cut.h"
#include "mix/link.h"
#include "mix/program.h"
#include "mix/windows.h"
#include "tensor/kernels/mix_terms.h"

#include <array>
#include <span>
#include <vector>

namespace grapevine::mix {

class InboxExecutor {
 public:
  // Inboxes are whole planes; beyond so many of them a pass is cheaper.
  static constexpr int kMostInboxes = 4;
  static constexpr int kMostTerms = kMostInboxes + 1;
  static bool fits(const Program& program);

  // program must fit. near: those of its peers, in any order, that windows
  // serve and whose programs fit too.
  InboxExecutor(
      const Program& program,
      std::vector<Range> chunks,
      std::span<const int> near);

  // For the receives from peers that are not near.
  int inboxes() const { return static_cast<int>(receives_.size()); }
  Traffic traffic() const { return traffic_; }
  // What to add up in the exchange at hand: the value itself, inboxes, near
  // peers' outboxes. Points to `pointers`, and to this for the weights.
  using TermPointers = std::array<const float*, kMostTerms>;
  tensor::MixTerms terms_of(
      const Windows& windows,
      int64_t exchange,
      std::span<float* const> inboxes,
      const float* value,
      TermPointers& pointers) const;
  // Whose outboxes are among the terms.
  std::span<const int> near_sources() const { return near_sources_; }

  // What an exchange works on. Windows are not used, and may be null, where
  // nobody is near; `exchange` is their number of it. in_place: the terms,
  // which are then added up into the value chunk by chunk; else null, and
  // whoever reads them consumes them.
  struct Place {
    Link& link;
    Windows* windows;
    int64_t exchange;
    float* value;
    std::span<float* const> inboxes;
    const tensor::MixTerms* in_place;
  };
  void run(const Place& place, ChunkEvents& events);

  // The parts of which run consists, for whoever has nobody but near peers and
  // moves the exchange by itself (mix/inline_exchange.h). Chunks are posted in
  // their order, and finished in it: that waits for what is missing.
  bool is_all_near() const { return sends_.empty() && receives_.empty(); }
  bool has_near_readers() const { return !near_readers_.empty(); }
  void post(const Place& place, int64_t c);
  // The outbox, in which the caller writes chunk c itself, instead of post, and
  // then publishes it.
  float* claim(const Place& place, int64_t c) const;
  // All near sources have published it.
  bool is_there(const Place& place, int64_t c) const;
  void finish(const Place& place, int64_t c);

 private:
  // The value itself, an inbox, or a near peer's outbox.
  struct Term {
    int inbox = -1;
    int near = -1;
  };
  struct Transfer {
    int peer;
    std::vector<Ticket> tickets; // one for each chunk
  };

  std::vector<Range> chunks_;
  std::vector<Transfer> sends_;
  std::vector<Transfer> receives_;
  std::vector<int> near_readers_;
  std::vector<int> near_sources_;
  std::vector<Term> terms_;
  std::vector<float> weights_;
  float scale_ = 1;
  Traffic traffic_;
};

} // namespace grapevine::mix
