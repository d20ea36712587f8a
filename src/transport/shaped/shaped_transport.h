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

#include <cstdint>
#include <memory>
#include <vector>

namespace grapevine::transport {

// `descriptor` is that of LinkTable::create, inherited. All workers of the run
// are wrapped, or none. Throws ConfigError where there is no such table, or one
// of another number of workers.
std::unique_ptr<Transport> shape_links(
    std::unique_ptr<Transport> inner,
    int descriptor);

// The same for a transport over some workers of the run: its rank i is
// workers[i]. Links are made anew while the run goes on, and the table must
// not confuse a message of the former with one of the next; so each has a
// number, the same at both ends and never used before. `prepare_links` resets
// the table for the links from workers[self] to those behind it in the list;
// it is called before the wrapped transport is connected, by all of them, so
// that it is done before anybody uses the transport.
struct LinksOfSome {
  int descriptor = -1;
  std::vector<int> workers; // ranks in the run, ascending
  int self = 0;             // index of this worker among them
  uint64_t number = 0;
};
void prepare_links(const LinksOfSome& links);
std::unique_ptr<Transport> shape_links(
    std::unique_ptr<Transport> inner,
    const LinksOfSome& links);

} // namespace grapevine::transport
