// Moves bytes between the workers of one run.
//
// The required interface is small: post a send or a receive, and wait for it.
// Everything else (barriers, broadcasts, reductions, lattice sums) is composed
// of these once, in mix/, so that all transports give the same bits.
//
// Semantics that every implementation keeps and contract_test checks:
//   - A send matches the receive with the same peer and tag, in posting order.
//   - Lengths must agree, except with recv_at_most; an implementation may
//     detect a mismatch and throw.
//   - Length 0 is legal and completes. Sending to oneself is not.
//   - A send may complete before it is received (buffering) or not
//     (rendezvous): never rely on either.
//   - The bytes belong to the operation until it has completed or failed.
//   - After a TransportError or TimeoutError the transport is broken for good:
//     every later call throws a TransportError that repeats the first error,
//     and its peers soon fail too. Destroy it. Destructors never wait for the
//     network (but see make_mpi_transport for the end of MPI itself).
//   - A peer or tag out of range, oneself as peer, and a request that is spent
//     are bugs of the caller: CheckFailure; the transport remains usable.
//
// Implementations derive from SlotTransport (net/slot_transport.h), or from
// WrappedTransport (net/wrap.h) if they change what another transport does.
#pragma once

#include "base/deadline.h"
#include "base/error.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace grapevine::net {

// 0 .. kMaxTag; what MPI guarantees everywhere.
using Tag = int;
inline constexpr Tag kMaxTag = 32767;

// The longest room of recv_at_most, in bytes: 1 MiB and a header.
inline constexpr size_t kMostRoom = (size_t{1} << 20) + (size_t{1} << 14);

// Names an operation in flight. Valid from send/recv until wait or a true
// test has returned; then it is spent. Cheap to copy.
struct Request {
  int32_t slot = -1;
  bool valid() const { return slot >= 0; }
};

// A worker's place among those that share its memory.
struct LocalPlace {
  int rank = 0;
  int size = 1;
};

// A send or receive. The bytes of a send are only read.
struct Message {
  bool is_send = false;
  bool may_be_shorter = false; // only a receive
  std::span<std::byte> bytes = {};
  int peer = -1;
  Tag tag = 0;

  // Whether a message of this length can be received here.
  bool takes(size_t sent) const {
    return may_be_shorter ? sent <= bytes.size() : sent == bytes.size();
  }
};

class Transport {
 public:
  virtual ~Transport() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  // As in base/transport_table.h, or "local".
  virtual std::string name() const = 0;
  // Known to some implementations (MPI).
  virtual std::optional<LocalPlace> local_place() const { return std::nullopt; }

  // One thread at a time may call these.
  Request send(std::span<const std::byte> bytes, int peer, Tag tag) {
    auto* data = const_cast<std::byte*>(bytes.data());
    return post(
        {.is_send = true,
         .bytes = {data, bytes.size()},
         .peer = peer,
         .tag = tag});
  }
  Request recv(std::span<std::byte> bytes, int peer, Tag tag) {
    return post({.bytes = bytes, .peer = peer, .tag = tag});
  }
  // Receives a message that may be shorter than `room`, which is at most
  // kMostRoom. The message must state its own length; the rest of the room is
  // left as it was. Transports that pack (pack_messages) do not offer it:
  // CheckFailure.
  Request recv_at_most(std::span<std::byte> room, int peer, Tag tag) {
    return post(
        {.may_be_shorter = true, .bytes = room, .peer = peer, .tag = tag});
  }
  // What the three above do.
  virtual Request post(const Message& message) = 0;

  // Returns true, and the request is spent, if the operation has completed.
  // Also drives progress if the implementation needs that.
  virtual bool test(Request request) = 0;

  // Returns when the operation has completed; the request is spent. Throws
  // TimeoutError naming the peer if the deadline passes first, and
  // TransportError naming the peer if the link or the peer has failed.
  virtual void wait(Request request, Deadline deadline) = 0;

  // Moves what is in flight, for transports that do so only while they are
  // called; call it now and then while nothing is waited for. Returns false if
  // it is not needed. Never waits.
  virtual bool progress() { return false; }

  // Workers with the same domain may show each other memory instead of sending
  // it (net/shared_peers.h); the empty domain shares with no other worker. A
  // transport that emulates a network between them has none.
  virtual std::string memory_domain() const { return {}; }

  // The one call that any thread may make at any time: the wait in progress,
  // if any, and every later operation throw a TransportError. For workers that
  // must end without their peers, which soon fail too.
  virtual void interrupt() = 0;
};

} // namespace grapevine::net
