// Limited links between the processes of a machine, without root: a transport
// whose messages arrive when they would over links of the given rate and
// delay.
//
// The payload goes over the wrapped transport at once; beside it, the table of
// links (transport/shaped/link_table.h) says when it would have arrived. A
// receive completes when the payload is there and that moment has come, a send
// when the last byte has left the node. Messages inside a node are free.
//
// Keeps the contract of Transport; name() and local_place() are those of the
// wrapped one.
#pragma once

#include "transport/transport.h"

#include <memory>

namespace grapevine::transport {

// `descriptor` is that of LinkTable::create, inherited. All workers of the run
// are wrapped, or none. Throws ConfigError where there is no such table, or one
// of another number of workers.
std::unique_ptr<Transport> shape_links(
    std::unique_ptr<Transport> inner,
    int descriptor);

} // namespace grapevine::transport
