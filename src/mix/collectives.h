// The small collectives, composed of send and recv. Results are in rank
// order. They run inside Link::run, and count as no traffic.
#pragma once

#include "mix/link.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace grapevine::mix {

// True on all workers if true on any: dissemination, ceil(log2 n) messages of
// a byte a worker. Nobody returns before everybody has called, so it is the
// barrier too.
bool any(Link& link, bool mine);

// Binomial tree: at most ceil(log2 n) messages a worker, each of all bytes.
void broadcast(Link& link, std::span<std::byte> bytes, int root);
// The length first, then the text.
std::string broadcast(Link& link, std::string text, int root);

// The sums over all workers, on all of them, in the order of tree_sum: up a
// binomial tree and down again, about two messages a worker. The same bits
// everywhere. Returns the messages that this worker sent.
int sum(Link& link, std::span<double> values);
// The same for rows that are all here: into rows[0], which the others have
// added to pairwise.
void tree_sum(std::vector<std::vector<double>>& rows);

// Everybody's bytes on root, elsewhere empty: a length and a text from each.
std::vector<std::string> gather(Link& link, const std::string& mine, int root);
// Gathered on rank 0 and broadcast from there.
std::vector<std::string> all_gather(Link& link, const std::string& mine);

} // namespace grapevine::mix
