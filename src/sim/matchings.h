// Rounds in which everybody meets everybody: round-robin tournaments.
#pragma once

#include <vector>

namespace grapevine::sim {

// The partners of round r, 0 <= r < matching_rounds(n), by worker; -1 for the
// one who sits out (n odd). Over all rounds every pair meets exactly once.
std::vector<int> matching(int n, int round);
int matching_rounds(int n);

} // namespace grapevine::sim
