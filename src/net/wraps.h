// What can be put around a transport (net/wrap.h).
#pragma once

#include "net/wrap.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>

namespace grapevine::net {

// What has left a worker.
struct MessageCounts {
  int64_t sends = 0;
  int64_t bytes = 0;
  // Everything to one peer with one tag: mix/ sends a message of a plan in
  // chunks that have one tag.
  std::set<std::pair<int, Tag>> messages;
};

// Counts messages and their bytes as they are posted for sending. The first of
// several wraps counts what the network gets; one after pack_messages counts
// what was to be packed. Borrows `counts`, which the thread that uses the
// transport adds to.
Wrap count_messages(MessageCounts& counts);

// For groups of two; others stay as they are. Moves bytes through shared
// memory if both workers have it in common, and else returns the wrapped
// transport itself. Waits for the other worker, which answers at once unless
// it was stopped, until the deadline and at most 5 s. Throws what the wrapped
// transport does.
Wrap move_near();

// Limited links between the processes of a machine, without root: messages
// arrive when they would over links of the given rate and delay.
//
// The payload goes over the wrapped transport at once; beside it, the table of
// links (net/shaped/link_table.h) states when it would have arrived. A
// receive completes when the payload is there and that moment has come, a send
// when the last byte has left the node. Messages inside a node are free.
//
// `descriptor` is that of LinkTable::create, inherited. All workers of the run
// are wrapped, or none. Throws ConfigError if there is no such table, or if a
// group without a name has another number of workers than the table.
//
// Links of groups with a name are made again while the run goes on, and the
// table must not confuse a message of the former link with one of the next. So
// each link has a number, which is derived from the name. Before the group is
// connected, each member resets the table for its links to those after it in
// the list, so that this is done before any of them uses the transport.
Wrap shape_links(int descriptor);

// Fewer bytes on the network, and the same values: packs the messages of
// another transport without loss (tensor/kernels/packed_floats.h).
//
// A message of at least kLeastPacked bytes that may be floats, by its length,
// goes in pieces of 1 MiB, each packed by itself: four bytes that state how
// many follow, and these. Bytes that are not floats come to no harm and grow
// by 0.3 %. Other messages go as they are.
//
// Keeps the contract of Transport, except recv_at_most, and except that errors
// of the wrapped transport count packed bytes. A send reads its bytes at once;
// a receive writes its own as it is waited for. Pieces are in buffers of
// 1 MiB, of which some are kept for the next, so that nothing is allocated
// unless more are in flight. Over Gloo, a piece that is tested instead of
// waited for has a thread. All workers of the run are wrapped, or none.
Wrap pack_messages();
inline constexpr size_t kLeastPacked = size_t{1} << 14;
// What plans assume that packing leaves of a byte of parameters or gradients.
inline constexpr double kTypicallyPacked = 0.853;

} // namespace grapevine::net
