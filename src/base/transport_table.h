// The transports by name: what --transport, the launcher's environment and the
// makers (net/make_transport.cpp) have in common. A new one is a row here
// and a maker there. Needs nothing to be linked.
#pragma once

#include <array>
#include <string_view>

namespace grapevine::net {

struct TransportEntry {
  std::string_view name;  // as --transport takes it
  std::string_view title; // in messages
  std::string_view summary;
  // Whether a run may go on when a worker is lost, and may take it in again.
  bool survives_loss = false;
  // Whether `grapevine launch --link` may limit its links.
  bool allows_limited_links = false;
  // Whether --packing may pack its messages.
  bool allows_packing = false;
};

// Has no maker: nothing has to be moved between processes.
inline constexpr TransportEntry kVirtual{
    .name = "virtual",
    .title = "the virtual cluster",
    .summary = "all workers in one process"};
inline constexpr TransportEntry kMpi{
    .name = "mpi",
    .title = "MPI",
    .summary = "one process per worker, over MPI"};
inline constexpr TransportEntry kGloo{
    .name = "gloo",
    .title = "Gloo",
    .summary = "one process per worker, over TCP",
    .survives_loss = true,
    .allows_limited_links = true,
    .allows_packing = true};

inline constexpr std::array kTransports{&kVirtual, &kMpi, &kGloo};

// Returns null if there is no transport of that name.
constexpr const TransportEntry* find_transport(std::string_view name) {
  for (const TransportEntry* entry : kTransports) {
    if (entry->name == name) return entry;
  }
  return nullptr;
}

// Whether a run over the transport of that name may lose workers.
constexpr bool survives_loss(std::string_view name) {
  const TransportEntry* entry = find_transport(name);
  return entry != nullptr && entry->survives_loss;
}

} // namespace grapevine::net
