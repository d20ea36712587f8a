// Which part of the planes a probe compares.
//
// The exact consensus distance needs the mean of all parameters: two model
// copies a worker, as much as a step on a ring sends. So a
// probe looks at up to 64 blocks of 4096 elements, other ones at every step,
// drawn from (seed, step), and scales up:
//
//   estimate = elements / elements sampled * (1/n) sum_i ||x_i - mean||^2
//
// over the sample. Unbiased; models of up to 262,144 parameters are compared
// whole. All workers draw the same blocks without talking.
#pragma once

#include "base/range.h"

#include <cstdint>
#include <vector>

namespace grapevine::record {

inline constexpr int64_t kSampledBlocks = 64;

struct ConsensusSample {
  std::vector<Range> pieces; // ascending, of a plane
  int64_t elements = 0;      // in all pieces
  double scale = 1;          // of the plane to the sample
};

ConsensusSample
consensus_sample(int64_t plane_elements, uint64_t seed, int64_t step);

} // namespace grapevine::record
