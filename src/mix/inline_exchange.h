// An exchange among near peers that its owner moves itself.
//
// If all that a worker needs of others lies in their outboxes (mix/windows.h),
// there is no link to keep busy, only planes to copy and to add up. A thread of
// its own for that (mix/thread_exchange.h) pays if it has a core of its own. If
// not, it takes the core of another worker for every bucket, to read there what
// lies in the cache of the first; each value then passes two threads that are
// woken for it instead of none. So the owner does it itself:
//
//   what it releases is copied into the outbox at once, or not even that, if
//   it has written it there itself (outbox);
//   in place, what the neighbours have published by then is added up;
//   what is missing is waited for when it is asked for.
//
// The same outboxes in the same order, and the same bits: a peer may use
// either kind.
//
// One thread, which has the communicator to itself from open to the last wait
// or to finish. Not in place, the next may be opened before this one has been
// waited for: then the buckets of both take turns.
#pragma once

#include "mix/exchange.h"
#include "mix/inbox_executor.h"

#include <cstdint>

namespace grapevine::mix {

class InlineExchange : public PeerExchange {
 public:
  using PeerExchange::PeerExchange;

  // Everything is borrowed until the last bucket was waited for. The executor
  // is the spec's, and all its peers are near.
  void open(
      Link& link,
      Windows& windows,
      InboxExecutor& executor,
      ExchangeSpec spec);

  // Waits until nobody reads what was there. Null if nobody would read it.
  float* outbox(int index, int bucket) override;
  void release(int index, int bucket) override;
  // All that was released is finished, so that others may use the
  // communicator; what is waited for afterwards is there.
  void finish();
  // That the owner has spent here, in all uses.
  double busy_seconds() const { return busy_seconds_; }

 private:
  // Runs body() as a part of the exchange, and books what it has waited.
  template <typename Body>
  void run(const Body& body);
  InboxExecutor::Place place() const;
  bool is_in_place() const { return spec_.in_place; }
  void finish_until(int64_t end); // chunks
  // All that was waited since this last returned: outbox and release may have
  // to wait, too, until an outbox is free.
  PeerWait wait_for(int bucket) override;
  tensor::MixTerms terms() const override;

  Link* link_ = nullptr;
  Windows* windows_ = nullptr;
  InboxExecutor* executor_ = nullptr;
  int64_t number_ = -1; // the windows'
  InboxExecutor::TermPointers terms_{};
  tensor::MixTerms mix_;
  int64_t claimed_ = 0;  // chunks whose outbox the owner has asked for
  int64_t posted_ = 0;   // chunks
  int64_t finished_ = 0; // chunks
  PeerWait longest_;     // since the last wait()
  double waited_seconds_ = 0;
  double busy_seconds_ = 0;
};

} // namespace grapevine::mix
