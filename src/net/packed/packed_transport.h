// Fewer bytes on the network, and the same values: a transport that packs the
// messages of another one without loss (tensor/kernels/packed_floats.h).
//
// A message of at least kLeastPacked bytes that may be floats, by its length,
// goes in pieces of a MiB, each packed by itself: four bytes that say how many
// follow, and these. What are not floats after all come to no harm and grow by
// 0.3 %. Other messages go as they are.
//
// Keeps the contract of Transport, but for recv_at_most and for this: errors
// count packed bytes, of a receive the most that may come. A send reads its
// bytes at once; a receive writes its own as it is waited for. Pieces are in
// rooms of their own, a MiB each, of which some are kept for the next, so that
// nothing is allocated as long as not more are in flight. Over Gloo, who tests
// instead of waiting has a thread a piece.
#pragma once

#include "net/wrap.h"

#include <cstddef>

namespace grapevine::net {

inline constexpr size_t kLeastPacked = size_t{1} << 14;

// What plans assume that packing leaves of a byte of parameters or gradients.
inline constexpr double kTypicallyPacked = 0.853;

// All workers of the run are wrapped, or none.
Wrap pack_messages();

} // namespace grapevine::net
