// A transport between two workers of one machine that moves its bytes through
// shared memory: a copy in and a copy out, where the network of the same
// machine takes several times the processor time.
//
// Each side has memory of its own, the bytes that it sends in a ring
// (near/byte_ring.h); messages are a header and their bytes, in the order of
// sending. What comes before its receive is posted is kept aside. Bytes move
// only while the transport is called.
#pragma once

#include "transport/transport.h"

#include <memory>
#include <vector>

namespace grapevine::transport {

// `far` connects two workers, whose ranks in the run are `workers` (errors name
// them); both call this. Returns a transport through shared memory where both
// have it in common, by far's memory_domain and by trying, and else `far`
// itself. Waits for the other side until the deadline. Throws what `far` does.
std::unique_ptr<Transport> move_near(
    std::unique_ptr<Transport> far,
    std::vector<int> workers,
    Deadline deadline);

} // namespace grapevine::transport
