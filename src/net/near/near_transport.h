// A transport between two workers of one machine that moves its bytes through
// shared memory: a copy in and a copy out, where the network of the same
// machine takes several times the processor time.
//
// Each side has memory of its own, the bytes that it sends in a ring
// (near/byte_ring.h); messages are a header and their bytes, in the order of
// sending. What comes before its receive is posted is kept aside. Bytes move
// only while the transport is called.
#pragma once

#include "net/wrap.h"

namespace grapevine::net {

// For groups of two; others stay as they are. Moves through shared memory if
// both workers have it in common, by the wrapped transport's memory_domain and
// by trying, and else returns the wrapped transport itself. Waits for the other
// worker, which answers at once unless it was stopped, until the deadline and
// at most 5 s. Throws what the wrapped transport does.
Wrap move_near();

} // namespace grapevine::net
