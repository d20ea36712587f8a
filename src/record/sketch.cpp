#include "record/sketch.h"

#include "base/random.h"

#include <algorithm>

namespace grapevine::record {

// Row by row of 128 elements: those of a row go to different sums, in their
// order but shifted by a number of the row's own.
Sketch sketch(std::span<const float> plane, uint64_t seed) {
  Sketch sums{};
  Random random(seed, Purpose::kSketch);
  for (size_t at = 0; at < plane.size(); at += kSketchSize) {
    const auto row =
        plane.subspan(at, std::min<size_t>(kSketchSize, plane.size() - at));
    const uint64_t signs[] = {random.next(), random.next()};
    const uint64_t shift = random.next();
    for (size_t e = 0; e < row.size(); ++e) {
      const bool is_negative = (signs[e / 64] >> (e % 64) & 1) != 0;
      const double value = row[e];
      sums[(e + shift) % kSketchSize] += is_negative ? -value : value;
    }
  }
  return sums;
}

} // namespace grapevine::record
