// What an exchange is to the runtime model: who must have come for which part
// of it, and what a byte then costs.
//
// A plan's programs move a plane in rounds (mix/program.h). Worker i takes
// part in round r if it sends or receives then. Its part can run once i and
// its peers of that round, the set E(i,r), are there, and S bytes of the plane
// then take
//
//   w(i,r) S + l(i,r)
//     w = max over the resources x that i's messages of round r pass of
//         (sum over all messages of round r through x of their share) / rate(x)
//     l = the longest latency of those messages
//
// so that a node's rate is shared by whatever its workers send in the round.
#pragma once

#include "graph/mixing.h"
#include "mix/plan.h"
#include "sim/network.h"

#include <map>
#include <vector>

namespace grapevine::sim {

struct Exchange {
  struct Part {
    int worker = 0;
    int set = 0; // into sets
    // Into sets: the worker and those of its peers whose messages take longest.
    int slowest = 0;
    double seconds_per_byte = 0;
    double latency = 0;
    bool is_inside = false; // no message leaves the node
  };
  int n = 0;
  // By round: the parts of those that send or receive then. Rounds may be
  // empty: they are the time steps of the plan's pipeline.
  std::vector<std::vector<Part>> rounds;
  std::vector<std::vector<int>> sets; // ascending
  // By worker: the round after which a chunk is final; -1 where nothing is
  // exchanged.
  std::vector<int> last;
  // How many time steps before they are waited for the messages of a round are
  // posted: as soon as what they send is there.
  std::vector<int> ahead; // by round
};

// As mix/mix_executor.h runs the plan. An exchange that leaves the plane as it
// is (one that is sent ahead) and has one round keeps one chunk more in flight.
Exchange plan_exchange(
    const mix::Plan& plan,
    const Network& network,
    bool in_place = true);

// What other libraries would need for the same averages: every group of the
// mixing by ring all-reduces, one bucket after the other. Of a group with l
// members on each of m nodes, the members of a node share the plane among
// them, and every piece goes round the nodes:
//
//   T = max( 2(l-1)/l S/rate inside, 2(m-1)/m S/rate of a node )
//       + 2(l-1) latency inside + 2(m-1) latency between
//
// (rings of two pass each latency once), at the slowest link, rates shared by
// all rings that pass there. With one worker a node this is the ring
// all-reduce of "From promise to practice". `mixing` must be complete or
// groups.
Exchange ring_exchange(const graph::Mixing& mixing, const Network& network);

} // namespace grapevine::sim
