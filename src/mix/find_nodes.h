// Which workers share a node, found out before a run begins.
//
// Inside a node bytes are cheap, between nodes they are not; schedules (AER)
// and plans (mix/plans/group_plan.cpp) use that, but only for nodes of equally
// many workers with consecutive ranks, which is what launchers make by default.
#pragma once

#include "mix/link.h"
#include "net/launch_environment.h"

#include <span>
#include <string>
#include <vector>

namespace grapevine::mix {

// What one worker knows of its node.
struct NodeClaim {
  // Its place among the workers of the node; size 0 where nobody told.
  net::LocalPlace place = {.rank = 0, .size = 0};
  std::string host; // this machine's name
};

// By the launcher's words (LOCAL_RANK and LOCAL_WORLD_SIZE,
// OMPI_COMM_WORLD_LOCAL_RANK and …_SIZE, …), else by what the transport knows
// (MPI: who shares memory).
NodeClaim node_claim(
    const net::LaunchEnvironment& environment,
    const net::Transport& transport);

// The workers a node, from all workers' claims in rank order: L where ranks 0
// to L-1 share a node, L to 2L-1 the next, and so on, and there is more than
// one node. In all other cases 1: a single node has no others, and uneven or
// scattered ones are taken as single workers. By the places where everybody
// has one, else by the names of the hosts.
int workers_per_node(std::span<const NodeClaim> claims);

// Asks everybody: collective, the same answer on all workers.
int find_workers_per_node(
    Link& link,
    const net::LaunchEnvironment& environment);

} // namespace grapevine::mix
