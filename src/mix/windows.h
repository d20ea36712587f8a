// Planes that workers of one machine show each other.
//
// A worker copies what it would send to such near peers into an outbox, a
// plane in shared memory, once for all of them; they read it there. So a value
// is copied once instead of two times or more, nobody is asked to deliver it,
// and a sum may be taken over the neighbours' outboxes themselves.
//
// Exchanges are counted, the same on all workers. There are two outboxes,
// which exchanges use in turn: while the peers still read one, the other is
// filled. An outbox is filled again, chunk by chunk, once its readers are
// through with it. So two exchanges may be open: the newest, which is being
// published, and the one before it, which is still being read.
//
// One thread. Waits go through the link, so they have its deadline and its
// error messages.
#pragma once

#include "base/range.h"
#include "mix/link.h"
#include "net/shared_peers.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace grapevine::mix {

class Windows {
 public:
  // Collective: finds out who is near, and opens their outboxes. `floats`: of
  // a plane, the same on all workers.
  Windows(Link& link, int64_t floats);
  // The near peers find out: a wait for what was not published then throws.
  ~Windows() = default;
  Windows(const Windows&) = delete;
  Windows& operator=(const Windows&) = delete;

  int64_t floats() const { return floats_; }
  // Both can read each other's outbox; both sides agree on that.
  bool is_near(int peer) const { return peers_ && peers_->is_shared(peer); }
  // This worker and those that are near to it.
  int near_workers() const { return peers_ ? peers_->count() : 1; }

  // The next exchange of all workers begins, in so many chunks of that cut.
  // Returns its number.
  int64_t begin(uint64_t cut, int64_t chunks);
  int64_t newest() const { return exchange_; }

  // Of the newest exchange, chunk by chunk in order: waits until nobody reads
  // what was there in chunk c, of that many bytes, and returns the outbox, in
  // which the caller then writes the chunk for these near readers. What nobody
  // has written since the planes were last cut in another way is zero.
  float* claim(int64_t c, std::span<const int> readers, int64_t bytes);
  // It has done so.
  void publish(int64_t c);
  // The plane that a near peer, or this worker, publishes in an exchange.
  const float* outbox_of(int peer, int64_t exchange) const;
  bool is_published(int peer, int64_t exchange, int64_t c) const;
  // Until the peer has published chunk c, of that many bytes.
  void await(int peer, int64_t exchange, int64_t c, int64_t bytes);

  // This worker has read chunk c of the outbox of a peer and all before it.
  void consumed(int peer, int64_t exchange, int64_t c);
  // The outboxes of these peers in the newest exchange are lent to somebody,
  // who gives them back during the next one, chunk by chunk in order; all at
  // once where that is cut in another way.
  void lend(std::span<const int> peers);
  void give_back(int64_t c);

 private:
  struct Header;
  // What an exchange has put into an outbox, and who reads it.
  struct Fill {
    int64_t exchange = -1;
    uint64_t cut = 0;
    int64_t chunks = 0;
    std::vector<int> readers;
  };
  struct Outbox {
    Fill last; // being written over
    Fill now;
  };

  // Of a near peer, or of this worker.
  Header& header(int rank) const;
  void mark_consumed(int peer, int64_t exchange, int64_t chunks);
  void await_readers(const Fill& fill, int64_t chunks, int64_t bytes);
  template <typename Ready>
  void
  await(int peer, Bell& bell, bool is_send, int64_t bytes, const Ready& ready);
  float* outbox(int rank, int64_t exchange) const;

  Link& link_;
  int64_t floats_;
  std::unique_ptr<net::SharedPeers> peers_; // null: this worker is alone
  // Of the newest exchange.
  int64_t exchange_ = -1;
  uint64_t cut_ = 0;
  int64_t chunks_ = 0;
  std::vector<int> lending_;
  // Of the one before.
  std::vector<int> lent_by_;
  std::array<Outbox, 2> outboxes_;
};

} // namespace grapevine::mix
