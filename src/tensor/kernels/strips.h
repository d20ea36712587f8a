// One pass over memory for what is done in several loops.
//
// The planes go through the first-level cache in strips: mixing and update
// take turns on a strip. Short ones keep all streams moving side by side, as
// the hardware's prefetchers like it (measured: 128 is a third faster than
// 1024).
#pragma once

#include "tensor/kernels/elementwise.h"
#include "tensor/kernels/mix_terms.h"

#include <algorithm>
#include <cstdint>

namespace grapevine::tensor {

inline constexpr int64_t kStrip = 128; // elements

// Calls update(from, at, count) for the strips [at, at + count) of the
// elements [begin, end) of planes.x, ascending, which writes them to
// planes.result. `from` is the strip's mixed value: x + at itself where `mix`
// has no terms, else a place apart.
//
// Returns a sum of squares, as tensor::sum_of_squares gives it, if asked for,
// else 0: of x where it is mixed, else of the result.
template <typename Planes, typename Update>
double update_in_strips(
    const Planes& planes,
    int64_t begin,
    int64_t end,
    const MixTerms& mix,
    bool want_squares,
    Update&& update) {
  const bool mixes = !mix.terms.empty();
  const auto squares_of = [&](const float* plane) {
    return sum_of_squares(plane + begin, end - begin);
  };
  const double old_squares = want_squares && mixes ? squares_of(planes.x) : 0;
  alignas(64) float mixed[kStrip];
  for (int64_t at = begin; at < end; at += kStrip) {
    const int64_t count = std::min(kStrip, end - at);
    if (mixes) mixed_value(mixed, mix, at, count);
    update(mixes ? mixed : planes.x + at, at, count);
  }
  return want_squares && !mixes ? squares_of(planes.result) : old_squares;
}

} // namespace grapevine::tensor
