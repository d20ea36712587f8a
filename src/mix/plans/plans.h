// The kinds of plan, each as the dataflow of its sums; formulas and costs are
// in the files of their names. mix/plan.h says what is common to them.
#pragma once

#include "mix/plan.h"

#include <memory>
#include <vector>

namespace grapevine::mix {

using PlanPtr = std::shared_ptr<const Plan>;

// Every value goes to all who need it: d messages and d planes per worker.
PlanPtr make_direct_plan(const graph::Mixing& mixing);

// Window sums of a lattice by doubling, 2 <= k <= n-2 even. Messages per
// worker: at most doubling_messages(k) = floor(log2 m) + popcount(m), m = k+1.
PlanPtr make_doubling_plan(int n, int k);
int doubling_messages(int k);

// Window sums of a lattice from prefix and suffix sums, 2 <= k <= n-2 even: at
// most kMostScanCopies messages and planes per worker, longest_block(n, k)
// rounds.
inline constexpr int kMostScanCopies = 4;
PlanPtr make_block_scan_plan(int n, int k);
int longest_block(int n, int k);

// Uniform averages inside the groups of a partition of 0..n-1, each group
// ascending. Groups of several whole nodes (node a is workers a L .. a L + L-1
// with L = workers_per_node) are summed inside the nodes first.
PlanPtr make_group_plan(
    int n,
    const std::vector<std::vector<int>>& groups,
    int workers_per_node = 1);
// One group of all workers.
PlanPtr make_all_reduce_plan(int n, int workers_per_node = 1);

// Two workers of a node send each other two messages per node of their group,
// each with its own tag; larger groups are not summed by nodes.
inline constexpr int kMostNodes = 400;

// What a plan is taken to cost, in fixed constants: they choose the plan, and
// with it the order of sums, so they are part of the results.
//
// Only kLatency * kBandwidth matters, the bytes that travel while one message
// starts: 10 kB is right within a factor of three for 1 Gbit/s Ethernet, 10
// Gbit/s Ethernet and InfiniBand alike.
inline constexpr double kLatency = 10e-6; // seconds per message
inline constexpr double kBandwidth = 1e9; // bytes per second and worker

// Seconds of `messages` transfers of a plane, one after the other.
double transfer_seconds(double messages, int64_t bytes);

// Seconds of a pipeline in which every chunk passes `depth` workers and every
// worker sends it `copies` times, cut into chunks of the best size:
//   (bytes/chunk + depth) * (latency + copies * chunk / bandwidth)
double pipeline_seconds(double copies, int depth, int64_t bytes);
// That size, at least kLeastChunk and at most bytes.
inline constexpr int64_t kLeastChunk = 4096;
int64_t pipeline_chunk(double copies, int depth, int64_t bytes);

} // namespace grapevine::mix
