// An exchange among near peers that its owner moves itself.
//
// Where all that a worker needs of others lies in their outboxes
// (mix/windows.h), there is no link to keep busy, only planes to copy and to
// add up. A thread of its own for that (mix/exchange.h) pays where it has a
// core of its own. Where it has none, it takes the core of another worker for
// every bucket, to read there what lies in the cache of the first; each value
// then passes two threads that are woken for it instead of none. So the owner
// does it by hand:
//
//   what it releases is copied into the outbox at once, or not even that,
//   where it has written it there itself (outbox);
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

#include <chrono>
#include <cstdint>
#include <optional>

namespace grapevine::mix {

class NearExchange {
 public:
  // Everything is borrowed until the last bucket was waited for. The executor
  // is the request's, and all its peers are near.
  void open(
      Link& link,
      Windows& windows,
      InboxExecutor& executor,
      ExchangeSpec request);

  // A plane in which the owner may write the value of a bucket, all of it,
  // before it releases it, so that it need not be copied: as well as in its own
  // plane or, in place, instead. Waits until nobody reads what was there. Null
  // where nobody would read it.
  float* outbox(int bucket);
  // As those of Exchange, but wait returns all that was waited since it last
  // returned: outbox and release may have to wait, too, until an outbox is
  // free.
  void release(int bucket);
  double wait(int bucket);
  // All that was released is finished, so that others may use the
  // communicator; what is waited for afterwards is there.
  void finish();
  // As Exchange's.
  tensor::MixTerms terms() const;
  // The peer that has kept it waiting longest; -1 where there is none.
  int waited_for() const { return waited_for_; }
  Traffic traffic() const { return traffic_; }
  using Clock = Exchange::Clock;
  Clock::time_point first_sent() const { return first_sent_; }
  Clock::time_point last_received() const { return last_received_; }
  // That the owner has spent here, in all uses.
  double busy_seconds() const { return busy_seconds_; }

 private:
  // Runs body() as a part of the exchange, and books what it has waited.
  template <typename Body>
  void run(const Body& body);
  InboxExecutor::Place place() const;
  bool is_in_place() const { return request_.in_place; }
  void finish_until(int64_t end); // chunks

  Link* link_ = nullptr;
  Windows* windows_ = nullptr;
  InboxExecutor* executor_ = nullptr;
  ExchangeSpec request_;
  int64_t number_ = -1; // the windows'
  Traffic traffic_;     // of all of it
  InboxExecutor::TermPointers terms_{};
  tensor::MixTerms mix_;
  int64_t claimed_ = 0;  // chunks whose outbox the owner has asked for
  int64_t posted_ = 0;   // chunks
  int64_t finished_ = 0; // chunks
  PeerWait longest_;     // since the last wait()
  double waited_seconds_ = 0;
  int waited_for_ = -1;
  Clock::time_point first_sent_;
  Clock::time_point last_received_;
  double busy_seconds_ = 0;
};

} // namespace grapevine::mix
