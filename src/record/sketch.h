// A few numbers that stand for a replica where only distances matter: they are
// linear in it, and
//
//   ||sketch(x) - sketch(y)||^2  is  ||x - y||^2  on the average over seeds,
//
// with a relative deviation of at most sqrt(2 / 128) = 12.5 %. So workers that
// do not wait for each other write sketches down, and whoever reads them all
// knows how far the replicas were apart, though nobody sent one.
//
// A count sketch: each element is added to one of 128 sums, with a sign; which
// and with which are drawn from the seed, the same for all workers.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace grapevine::record {

inline constexpr int kSketchSize = 128;
using Sketch = std::array<double, kSketchSize>;

// One pass over the plane. Zeros at its end change nothing.
Sketch sketch(std::span<const float> plane, uint64_t seed);

} // namespace grapevine::record
