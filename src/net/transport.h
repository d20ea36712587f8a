// Moves bytes between the workers of one run.
//
// The required interface is small: two non-blocking operations and the means
// to wait for them. Everything else (barriers, broadcasts, reductions, lattice
// sums) is composed of these once, in comm/, so that all transports give the
// same bits.
//
// Semantics that every implementation keeps and transport_test checks:
//   - A send matches the receive with the same peer and tag, in posting order.
//   - Lengths must agree, but for recv_at_most; an implementation may detect a
//     mismatch and throw.
//   - Length 0 is legal and completes. Sending to oneself is not.
//   - A send may complete before it is received (buffering) or not
//     (rendezvous): never rely on either.
//   - The bytes belong to the operation until it has completed or failed.
//   - After a TransportError or TimeoutError the transport is broken for good:
//     every later call throws a TransportError that repeats the first error,
//     and its peers soon fail too. Destroy it. Destructors never wait for the
//     network (but see make_mpi_transport for the end of MPI itself).
//   - A peer or tag out of range, oneself as peer, and a request that is spent
//     are bugs of the caller: CheckFailure, and the transport goes on.
#pragma once

#include "base/deadline.h"
#include "base/error.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace grapevine::net {

// 0 .. kMaxTag; what MPI guarantees everywhere.
using Tag = int;
inline constexpr Tag kMaxTag = 32767;

// The longest room of recv_at_most, in bytes: a MiB, and what it may say of
// itself.
inline constexpr size_t kMostRoom = (size_t{1} << 20) + (size_t{1} << 14);

// Names an operation in flight. Valid from send/recv until wait or a true
// test has returned; then it is spent. Cheap to copy.
struct Request {
  int32_t slot = -1;
  bool valid() const { return slot >= 0; }
};

// Of a worker among those that share its memory.
struct LocalPlace {
  int rank = 0;
  int size = 1;
};

class Transport {
 public:
  virtual ~Transport() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  // As in base/transport_table.h, or "local".
  virtual std::string name() const = 0;
  // Where the implementation itself knows it (MPI); else nothing.
  virtual std::optional<LocalPlace> local_place() const { return std::nullopt; }

  // One thread at a time may call these.
  virtual Request send(std::span<const std::byte> bytes, int peer, Tag tag) = 0;
  virtual Request recv(std::span<std::byte> bytes, int peer, Tag tag) = 0;
  // For a message that may be shorter than the room for it, at most kMostRoom.
  // How long it was is not told, so it has to say that itself; what is behind
  // it in the room is left as it was. For transports that wrap others; one that
  // packs (net/packed/) has none for others in turn: CheckFailure.
  virtual Request
  recv_at_most(std::span<std::byte> room, int peer, Tag tag) = 0;

  // True, and the request is spent, if the operation has completed. Also
  // drives progress where the implementation needs that.
  virtual bool test(Request request) = 0;

  // Returns when the operation has completed; the request is spent. Throws
  // TimeoutError naming the peer when the deadline passes first, and
  // TransportError naming the peer when the link or the peer has failed.
  virtual void wait(Request request, Deadline deadline) = 0;

  // Moves what is in flight, where that happens only while the transport is
  // called; call it now and then while nothing is waited for. False where it
  // is not needed. Never waits.
  virtual bool progress() { return false; }

  // Workers with the same name here may show each other memory instead of
  // sending it (base/shared_memory.h); the empty name shares with nobody.
  // A transport that stands for a network between them has none.
  virtual std::string memory_domain() const { return {}; }

  // The one call that any thread may make at any time: the wait at hand, if
  // any, and every later operation throw a TransportError. For whoever must
  // end without the peers; they soon fail too.
  virtual void interrupt() = 0;
};

} // namespace grapevine::net
