// What a plan is taken to cost, in fixed constants: they choose the plan, and
// with it the order of sums, so they are part of the results.
//
// Only kLatency * kBandwidth matters, the bytes that travel while one message
// starts: 10 kB is right within a factor of three for 1 Gbit/s Ethernet, 10
// Gbit/s Ethernet and InfiniBand alike.
#pragma once

#include <cstdint>

namespace grapevine::mix {

inline constexpr double kLatency = 10e-6; // seconds a message
inline constexpr double kBandwidth = 1e9; // bytes a second and worker

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
