// Measures the links between the workers of a cluster: latency and bandwidth,
// both ways at once, of all pairs or, where there are many, of a sample.
//
// Pairs meet in the rounds of a tournament (matching()), all pairs of a round
// at once, as they do in training; then a few pairs alone. What is timed is a
// mixing of pairs through the communicator, so the figure includes chunks,
// copies and sums.
#pragma once

#include "mix/communicator.h"
#include "sim/costs.h"

#include <vector>

namespace grapevine::sim {

struct LinkMeasurement {
  int a = 0; // a < b
  int b = 0;
  double latency = 0;   // seconds
  double bandwidth = 0; // bytes a second, each way
  bool alone = false;   // no other pair was at it
};

struct MeasureLinksOptions {
  double seconds = 20; // about, in all
  int most_rounds = 31;
};

// Collective. The list is complete on worker 0, elsewhere empty.
std::vector<LinkMeasurement> measure_links(
    mix::Communicator& communicator,
    const MeasureLinksOptions& options);

// Round-robin tournaments: the partners of round r, 0 <= r <
// matching_rounds(n), by worker; -1 for the one who sits out (n odd). Over all
// rounds every pair meets exactly once.
std::vector<int> matching(int n, int round);
int matching_rounds(int n);

// What the measurements say of the levels and of what differs: the medians of
// each level; a node is listed on its own if its links have less than half of
// the others' rate, a pair if it has less than half of the rate or more than
// twice the latency (and 100 us more) of the others, of which there are two at
// least, and its nodes are not the reason.
void add_links(
    Costs& costs,
    const std::vector<LinkMeasurement>& links,
    int n,
    int workers_per_node);

} // namespace grapevine::sim
