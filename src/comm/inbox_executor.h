// Moves what a mixing needs and leaves the sum to whoever uses it.
//
// Where a worker's new value is one sum over its own value and what a few
// neighbours send (pairs, rings, small direct plans), the neighbours' values
// are received into inboxes, planes of their own, and nobody combines them
// here: the update reads them as terms (kernel/mix_terms.h), which saves a
// pass over memory. Sends and messages are those of comm/mix_executor.h, so a
// peer may run either.
//
// A few chunks are in flight at once. A chunk's inbox is written from
// `before` of that chunk on.
#pragma once

#include "comm/chunks.h"
#include "comm/link.h"
#include "comm/program.h"
#include "comm/traffic.h"

#include <span>
#include <vector>

namespace grapevine::comm {

class InboxExecutor {
 public:
  // Inboxes are whole planes; beyond so many of them a pass is cheaper.
  static constexpr int kMostInboxes = 4;
  static bool fits(const Program& program);

  // program must fit.
  InboxExecutor(const Program& program, std::vector<Range> chunks);

  int inboxes() const { return static_cast<int>(receives_.size()); }
  Traffic traffic() const { return traffic_; }
  // What to add up: -1 is the value, else an inbox.
  std::span<const int> terms() const { return terms_; }
  std::span<const float> weights() const { return weights_; }
  float scale() const { return scale_; }

  void run(
      Link& link,
      const float* value,
      std::span<float* const> inboxes,
      ChunkEvents& events);

 private:
  struct Transfer {
    int peer;
    std::vector<Ticket> tickets; // one for each chunk
  };

  void finish(Link& link, int64_t c, ChunkEvents& events);

  std::vector<Range> chunks_;
  std::vector<Transfer> sends_;
  std::vector<Transfer> receives_;
  std::vector<int> terms_;
  std::vector<float> weights_;
  float scale_ = 1;
  Traffic traffic_;
};

} // namespace grapevine::comm
