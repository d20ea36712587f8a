// Limited links between the processes of a machine, without root: a transport
// whose messages arrive when they would over links of the given rate and
// delay.
//
// The payload goes over the wrapped transport at once; beside it, the table of
// links (net/shaped/link_table.h) says when it would have arrived. A
// receive completes when the payload is there and that moment has come, a send
// when the last byte has left the node. Messages inside a node are free.
//
// Keeps the contract of Transport; name() and local_place() are those of the
// wrapped one.
#pragma once

#include "net/wrap.h"

namespace grapevine::net {

// `descriptor` is that of LinkTable::create, inherited. All workers of the run
// are wrapped, or none. Throws ConfigError if there is no such table, or if a
// group without a name has another number of workers than the table.
//
// Links of groups with a name are made again while the run goes on, and the
// table must not confuse a message of the former with one of the next. So each
// has a number, which is derived from the name. Before the group is connected,
// each member resets the table for its links to those after it in the list, so
// that this is done before anybody uses the transport.
Wrap shape_links(int descriptor);

} // namespace grapevine::net
