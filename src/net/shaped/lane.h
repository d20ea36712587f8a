// One worker's view of the two streams between it and one peer: which of its
// operations is which message in the streams' logs, and when that one went
// through. For ShapedTransport only; all calls under the table's lock.
#pragma once

#include "net/shaped/link_table.h"

#include <cstdint>
#include <deque>

namespace grapevine::net {

// What a send or receive in flight knows of its message.
struct Passage {
  int64_t bytes = 0;
  Tag tag = 0;
  int64_t end = -1;   // its place in the stream; below 0: not known yet
  double finish = -1; // when it went through; below 0: not yet
};

class Lane {
 public:
  // Ranks in the run; `link` is the number that both streams must have.
  Lane(int me, int peer, uint64_t link) : me_(me), peer_(peer), link_(link) {}

  // The passages stay where they are until their finish is known. All throw
  // TransportError once the link has been made again under another number.
  void send(LinkTable::Session& table, Passage& passage);
  void receive(LinkTable::Session& table, Passage& passage);

  // Takes note of what has happened in both streams.
  void look(LinkTable::Session& table);

 private:
  // A message that the peer has sent.
  struct Arrival {
    int64_t index;
    int64_t bytes;
    int64_t end;
    double finish;
    Tag tag;
    Passage* passage; // of its receive; null until that is posted
    // The receive knows when it is finished, and may have been given back.
    bool is_told = false;
  };
  struct Departure {
    int64_t index; // below 0: the log had no room yet
    Passage* passage;
  };

  void check_link(const LinkTable::Session& table) const;
  void append_waiting(LinkTable::Session& table);
  void look_at_departures(LinkTable::Session& table);
  void look_at_arrivals(LinkTable::Session& table);
  void read_new_arrivals(LinkTable::Session& table);

  int me_;
  int peer_;
  uint64_t link_;
  std::deque<Departure> departures_; // in the order of the log
  std::deque<Arrival> arrivals_;     // the same, of what was read
  int64_t arrivals_read_ = 0;
  int64_t arrived_ = 0;           // bytes, of those
  std::deque<Passage*> receives_; // posted, not yet met by a message
};

} // namespace grapevine::net
