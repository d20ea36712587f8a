// How far the replicas are from each other:
//
//   consensus distance = (1/n) sum_i ||x_i - mean||^2
//
// There are two forms, and they give the same bits: one over n planes in one
// process, and the pieces of one over n processes. So the order of every sum
// is fixed:
//
//   mean       in float, element by element: (x_0 + x_1 + ...) * float(1/n),
//              which is what Communicator::all_reduce_mean gives
//   worker i   differences and squares in double; in blocks of 4096 elements,
//              in a block in 8 lanes (element j in lane j mod 8), lanes added
//              in order, then blocks in order
//   total      over the workers in rank order, then divided by n
//
// Zeros at the end of a plane (padding) change nothing. Since the mean is a
// float, equal replicas give 0 only up to its rounding (about 1e-15 ||x||^2).
#pragma once

#include "base/thread_pool.h"

#include <cstdint>
#include <span>

namespace grapevine::record {

inline constexpr int64_t kConsensusBlock = 4096;

// planes[i]: `count` floats of worker i. At least one plane (checked). The
// same bits for any number of threads.
double consensus_distance(
    std::span<const float* const> planes,
    int64_t count,
    ThreadPool& pool);

// One worker's part: ||x - mean||^2. Spans of one length (checked).
double squared_distance(std::span<const float> x, std::span<const float> mean);

// The end: every worker's squared distance, in rank order.
double consensus_distance(std::span<const double> squared_distances);

} // namespace grapevine::record
