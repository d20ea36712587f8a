#include "record/consensus.h"

#include "base/check.h"
#include "base/random.h"

#include <algorithm>
#include <array>

namespace grapevine::record {
namespace {

constexpr int64_t kLanes = 8;
static_assert(kConsensusBlock % kLanes == 0);

// One block, count <= kConsensusBlock.
double block_distance(const float* x, const float* mean, int64_t count) {
  std::array<double, kLanes> lanes{};
  const int64_t whole = count / kLanes * kLanes;
  for (int64_t i = 0; i < whole; i += kLanes) {
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      const double difference = static_cast<double>(x[i + lane]) -
                                static_cast<double>(mean[i + lane]);
      lanes[lane] += difference * difference;
    }
  }
  for (int64_t i = whole; i < count; ++i) {
    const double difference =
        static_cast<double>(x[i]) - static_cast<double>(mean[i]);
    lanes[i - whole] += difference * difference;
  }
  double sum = 0;
  for (const double lane : lanes)
    sum += lane;
  return sum;
}

} // namespace

double squared_distance(std::span<const float> x, std::span<const float> mean) {
  GV_CHECK_EQ(x.size(), mean.size());
  const auto count = static_cast<int64_t>(x.size());
  double sum = 0;
  for (int64_t begin = 0; begin < count; begin += kConsensusBlock) {
    sum += block_distance(
        x.data() + begin,
        mean.data() + begin,
        std::min(kConsensusBlock, count - begin));
  }
  return sum;
}

double consensus_distance(std::span<const double> squared_distances) {
  GV_CHECK(!squared_distances.empty());
  double sum = 0;
  for (const double distance : squared_distances)
    sum += distance;
  return sum / static_cast<double>(squared_distances.size());
}

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
