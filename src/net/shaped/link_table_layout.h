// What lies in the shared memory of a LinkTable: a header, a stream for each
// ordered pair of workers, the streams' logs, and the links' own limits. For
// link_table.cpp and link_session.cpp only.
#pragma once

#include "net/shaped/link_table.h"

#include <pthread.h>

#include <algorithm>

namespace grapevine::net {

struct LinkTable::Header {
  char magic[8];
  int workers;
  int workers_per_node;
  double bytes_per_second; // of a node
  pthread_mutex_t mutex;
  double clock; // up to which everything has happened
};

// One line of the cache each: they are looked through at every session.
struct alignas(64) LinkTable::Stream {
  int64_t posted;       // bytes, by the sender
  int64_t wanted;       // bytes, by the receiver
  double delivered;     // bytes
  int64_t appended;     // messages
  int64_t stamped;      // of these, those whose finish is known
  int64_t sender_low;   // index of the first message still of interest
  int64_t receiver_low; // the same for the receiver
  uint64_t link;        // whose these are

  double allowed() const {
    return static_cast<double>(std::min(posted, wanted));
  }
};

} // namespace grapevine::net
