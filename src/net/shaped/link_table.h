// The links between the processes of one machine, in memory that they share:
// when does a byte that is sent now arrive?
//
// Every ordered pair of workers on different nodes has a stream, as it has a
// connection in Gloo. A message is appended to the stream when it is sent and
// may move once its receive has been posted too, since Gloo and MPI begin to
// move a large message only then. At any time the streams that have something
// to move share the nodes' rates (net/shaped/fluid.h). The table knows
// how far each stream had come at its clock; the holder of its lock moves the
// clock to the present first, through all that happened since, and notes when
// each message's last byte went through. So no process has to act in time for
// the others: what counts is when messages were posted, not when a process
// looks.
//
//   message arrives = last byte through + delay of the link
//
// The table is a memfd that the launcher makes and its workers inherit; it is
// gone with the last of them. The lock is robust: a process that dies holding
// it leaves at worst a stream that is some microseconds ahead.
#pragma once

#include "base/link_options.h"
#include "net/shaped/fluid.h"
#include "net/transport.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace grapevine::net {

// Of CLOCK_MONOTONIC, which all processes of a machine share.
double monotonic_seconds();

class LinkTable {
 public:
  static constexpr int kMostWorkers = 128;
  // Messages of a stream that its sender or receiver still wants to know about.
  static constexpr int kLogLength = 1024;

  struct Shape {
    int workers = 1;
    int workers_per_node = 1; // whose links to each other are free
    LinkOptions link;
  };

  // A message in the log of its stream.
  struct Entry {
    int64_t end;   // bytes of the stream up to its last one
    double finish; // when that went through; below 0: not yet
    Tag tag;
  };

  // Makes a table; returns a file descriptor that is inherited by programs
  // started later, and is the caller's to close. Throws ConfigError for more
  // than kMostWorkers, IoError.
  static int create(const Shape& shape);

  // Maps the table behind an inherited descriptor. Throws ConfigError if there
  // is none.
  explicit LinkTable(int descriptor);
  ~LinkTable();
  LinkTable(const LinkTable&) = delete;
  LinkTable& operator=(const LinkTable&) = delete;

  int workers() const { return workers_; }
  // The limits of messages from one worker to another, besides those of their
  // nodes.
  const LinkLimits& limits(int from, int to) const;
  // Whether messages between these two go through the table.
  bool connects(int a, int b) const;

  class Session;

 private:
  struct Header;
  struct Stream;

  Stream& stream(int from, int to) const;
  Entry& entry(int from, int to, int64_t index) const;
  int node_of(int rank) const { return rank / workers_per_node_; }

  int workers_ = 1;
  int workers_per_node_ = 1;
  double node_rate_ = 0; // bytes of payload a second
  void* memory_ = nullptr;
  size_t length_ = 0;
  Header* header_ = nullptr;
  Stream* streams_ = nullptr;
  Entry* entries_ = nullptr;
  LinkLimits* limits_ = nullptr; // as long as the streams
  // Used by the session only, here to be allocated once.
  Fluid fluid_;
  std::vector<Flow> flows_;
};

// Holds the lock, with the clock at the moment of its making. Short: all
// workers wait for it.
class LinkTable::Session {
 public:
  // Throws TimeoutError if a stopped process holds the lock.
  explicit Session(LinkTable& table);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  double now() const;

  // Forgets all that was posted to the stream; from now on it belongs to the
  // link of this number (0 at first).
  void begin_link(int from, int to, uint64_t number);
  uint64_t link(int from, int to) const;

  // Appends a message to the stream and returns its index in the log, from 0;
  // nothing if the log is full: the sender or receiver has not read for long.
  std::optional<int64_t> append(int from, int to, Tag tag, int64_t bytes);
  // The receiver has posted a receive of so many bytes.
  void want(int from, int to, int64_t bytes);
  // The receiver wants this message now, whatever comes before it.
  void want_up_to(int from, int to, int64_t end);

  // Messages appended so far; those from `low` on may be looked at.
  int64_t appended(int from, int to) const;
  const Entry& entry(int from, int to, int64_t index) const;
  // Entries below `low` are of no more use to the sender (the receiver).
  void sender_has_read(int from, int to, int64_t low);
  void receiver_has_read(int from, int to, int64_t low);

  // When to look again whether the stream has come to `end`: at the moment
  // when it will have, if nothing more is posted (anything else makes it
  // later), or some time before; in a millisecond if it may not move yet or
  // `end` is below 0, not known.
  double earliest_finish(int from, int to, int64_t end);

 private:
  void advance(double now);
  void gather_flows();
  // Moves all flows for so many seconds, and notes what they finish.
  void move(double seconds, bool for_real);
  void stamp(int index, double delivered, double rate);
  // After a change: what needs no time has gone through.
  void settle(int from, int to);

  LinkTable& table_;
};

} // namespace grapevine::net
