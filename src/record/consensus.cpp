#include "record/consensus.h"

#include "base/check.h"

#include <algorithm>
#include <array>
#include <vector>

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

void block_mean(
    std::span<const float* const> planes,
    int64_t begin,
    int64_t count,
    float* mean) {
  std::copy_n(planes[0] + begin, count, mean);
  for (const float* plane : planes.subspan(1)) {
    for (int64_t i = 0; i < count; ++i)
      mean[i] += plane[begin + i];
  }
  const auto scale =
      static_cast<float>(1.0 / static_cast<double>(planes.size()));
  for (int64_t i = 0; i < count; ++i)
    mean[i] *= scale;
}

int64_t blocks_in(int64_t count) {
  return (count + kConsensusBlock - 1) / kConsensusBlock;
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

double consensus_distance(
    std::span<const float* const> planes,
    int64_t count,
    ThreadPool& pool) {
  GV_CHECK(!planes.empty());
  const int64_t blocks = blocks_in(count);
  const size_t n = planes.size();
  // parts[block * n + worker]: threads fill it in any order, the sums below
  // are taken in one order.
  std::vector<double> parts(static_cast<size_t>(blocks) * n);
  pool.for_each(blocks, [&](int64_t block, int) {
    const int64_t begin = block * kConsensusBlock;
    const int64_t length = std::min(kConsensusBlock, count - begin);
    std::array<float, kConsensusBlock> mean;
    block_mean(planes, begin, length, mean.data());
    for (size_t worker = 0; worker < n; ++worker) {
      parts[static_cast<size_t>(block) * n + worker] =
          block_distance(planes[worker] + begin, mean.data(), length);
    }
  });

  std::vector<double> distances(n, 0.0);
  for (int64_t block = 0; block < blocks; ++block) {
    for (size_t worker = 0; worker < n; ++worker) {
      distances[worker] += parts[static_cast<size_t>(block) * n + worker];
    }
  }
  return consensus_distance(distances);
}

} // namespace grapevine::record
