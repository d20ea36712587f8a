// How far the replicas are from each other:
//
//   consensus distance = (1/n) sum_i ||x_i - mean||^2
//
// It gives the same bits over n planes in one process and over n processes, so
// the order of every sum is fixed:
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

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace grapevine::record {

inline constexpr int64_t kConsensusBlock = 4096;

// Returns one worker's part, ||x - mean||^2. Spans of one length (checked).
double squared_distance(std::span<const float> x, std::span<const float> mean);

// Returns the total of every worker's squared distance, in rank order.
double consensus_distance(std::span<const double> squared_distances);

// A count sketch of a replica, which stands for it where only distances
// matter: it is linear in the replica, and
//
//   ||sketch(x) - sketch(y)||^2  is  ||x - y||^2  on the average over seeds,
//
// with a relative deviation of at most sqrt(2 / 128) = 12.5 %. So workers that
// do not wait for each other record sketches, and a reader of all records
// knows how far the replicas were apart, though no replica was sent.
//
// Each element is added to one of 128 sums, with a sign; which sum and which
// sign are drawn from the seed, the same for all workers.
inline constexpr int kSketchSize = 128;
using Sketch = std::array<double, kSketchSize>;

// One pass over the plane. Zeros at its end change nothing.
Sketch sketch(std::span<const float> plane, uint64_t seed);

} // namespace grapevine::record
