// The small collectives, composed of send and recv: every worker calls them, in
// the same order. Results are in rank order. They count as no traffic, unless
// it says so. What another worker has sent in no proper form is a
// TransportError.
#pragma once

#include "mix/link.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace grapevine::mix {

// One row of numbers for each worker.
using Rows = std::vector<std::vector<double>>;

// True on all workers if true on any: dissemination, ceil(log2 n) messages of
// a byte per worker. No worker returns before all have called.
bool any(Link& link, bool mine);
void barrier(Link& link);

// Binomial tree: at most ceil(log2 n) messages per worker, each of all bytes.
void broadcast(Link& link, std::span<std::byte> bytes, int root);
// The length first, then the text.
std::string broadcast(Link& link, std::string text, int root);

// The sums over all workers, on all of them, in the order of tree_sum: up a
// binomial tree and down again, about two messages per worker. The same bits
// everywhere. Returns what this worker sent, which counts.
Traffic sum(Link& link, std::span<double> values);
// The same for rows that are all here: into rows[0], which the others have
// added to pairwise.
void tree_sum(Rows& rows);

// All workers' bytes on root, elsewhere empty: a length and a text from each.
std::vector<std::string> gather(Link& link, const std::string& mine, int root);
Rows gather(Link& link, std::span<const double> mine, int root);
// Gathered on rank 0 and broadcast from there.
std::vector<std::string> all_gather(Link& link, const std::string& mine);
Rows all_gather(Link& link, std::span<const double> mine);

// Sends a plane to a peer and receives one from it at once, both ways in large
// pieces. The lengths may differ from each other, but what one sends the other
// expects. Returns what this worker sent, which counts.
Traffic exchange(
    Link& link,
    int peer,
    std::span<const float> outgoing,
    std::span<float> incoming);

} // namespace grapevine::mix
