// Workers of one machine that can see each other's memory: how they find each
// other, and whether a peer is still there. What the memory holds is the
// business of the two users: byte rings (near_transport.cpp) and planes
// (mix/windows.h).
#pragma once

#include "base/shared_memory.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace grapevine::net {

class SharedPeers {
 public:
  // Returns the texts of all workers, by rank; a collective call.
  using AllGather =
      std::function<std::vector<std::string>(const std::string& mine)>;

  // How often a wait looks whether its peer still lives.
  static constexpr std::chrono::milliseconds kLook{50};

  // A collective call. Each worker that is not alone in its memory domain
  // (net/transport.h) makes `bytes` of memory, zero at first, and opens that
  // of the others. Two workers share memory if both have opened the other's,
  // and have made the same amount. Throws what all_gather throws, and
  // TransportError for texts that no worker sends.
  SharedPeers(
      int rank,
      const std::string& domain,
      size_t bytes,
      const AllGather& all_gather);
  // Closes.
  ~SharedPeers();
  SharedPeers(const SharedPeers&) = delete;
  SharedPeers& operator=(const SharedPeers&) = delete;

  // False for the worker itself.
  bool is_shared(int peer) const;
  // Workers that share memory with this one, itself included.
  int count() const;

  // The memory of a peer that is shared, or of this worker if any peer is.
  std::span<std::byte> memory(int rank) const;
  // Lies in that worker's memory. By agreement it is rung after every change
  // that a wait on it is for.
  Bell& bell(int rank) const;

  // Whether the peer, which is shared, has closed.
  bool has_closed(int peer) const;
  // Says why a peer that is shared will change nothing any more; empty as long
  // as it may. What it did before it left counts, so ask this first and look
  // at the memory second.
  std::string departure(int peer);

  // Tells the peers that this worker has left, and wakes all that wait. Any
  // thread.
  void close();

 private:
  struct Header;
  struct Peer {
    std::unique_ptr<SharedMemory> memory; // null: not shared
    std::chrono::steady_clock::time_point next_look = {};
  };

  static Header& header_of(SharedMemory& memory);
  void agree(const std::vector<uint8_t>& opened, const AllGather& all_gather);

  int rank_;
  std::vector<Peer> peers_; // by rank; this worker's own memory among them
};

} // namespace grapevine::net
