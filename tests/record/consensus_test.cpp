#include "record/consensus.h"

#include "base/check.h"
#include "base/random.h"
#include "record/consensus_sample.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

namespace grapevine::record {
namespace {

using Planes = std::vector<std::vector<float>>;

Planes random_planes(int n, int64_t count) {
  Planes planes(static_cast<size_t>(n));
  for (int i = 0; i < n; ++i) {
    Random random(1, Purpose::kTest, static_cast<uint64_t>(i));
    for (int64_t j = 0; j < count; ++j) {
      planes[static_cast<size_t>(i)].push_back(
          static_cast<float>(random.normal()));
    }
  }
  return planes;
}

// The mean as the all-reduce gives it, then each worker's own distance.
double distance_of(const Planes& planes) {
  std::vector<float> mean = planes[0];
  for (size_t i = 1; i < planes.size(); ++i) {
    for (size_t j = 0; j < mean.size(); ++j)
      mean[j] += planes[i][j];
  }
  const auto scale =
      static_cast<float>(1.0 / static_cast<double>(planes.size()));
  for (float& value : mean)
    value *= scale;
  std::vector<double> distances;
  for (const auto& plane : planes) {
    distances.push_back(squared_distance(plane, mean));
  }
  return consensus_distance(distances);
}

// Another way to the same number: mean of squares less square of the mean,
// in double all along.
double by_moments(const Planes& planes) {
  const auto n = static_cast<double>(planes.size());
  double total = 0;
  for (size_t j = 0; j < planes[0].size(); ++j) {
    double sum = 0;
    double squares = 0;
    for (const auto& plane : planes) {
      sum += plane[j];
      squares += static_cast<double>(plane[j]) * plane[j];
    }
    total += squares / n - sum / n * (sum / n);
  }
  return total;
}

TEST(Consensus, ByHand) {
  // Means 2 and 0; distances 1 + 4, 0 and 1 + 4.
  EXPECT_DOUBLE_EQ(distance_of({{1, 2}, {2, 0}, {3, -2}}), 10.0 / 3);
  EXPECT_EQ(distance_of({{1, 2}, {3, 2}}), 1);
  EXPECT_EQ(
      squared_distance(
          std::vector<float>{1, 2, 3},
          std::vector<float>{0, 0, 0}),
      14);
}

TEST(Consensus, EqualReplicas) {
  const auto plane = random_planes(1, 10000)[0];
  // Sum and scale are exact for 1 and 2, else the float mean is rounded: at
  // most n times, each by 2^-24 of its size.
  for (const size_t n : {1, 2, 3, 7, 8, 96}) {
    const double distance = distance_of(Planes(n, plane));
    const double size = squared_distance(plane, std::vector<float>(10000));
    const double rounding = std::ldexp(static_cast<double>(n + 1), -24);
    EXPECT_LE(distance, n <= 2 ? 0 : rounding * rounding * size) << n;
  }
}

TEST(Consensus, AgreesWithTheMoments) {
  for (const int n : {1, 2, 3, 4, 7, 8}) {
    for (const int64_t count : {0, 1, 7, 8, 4095, 4096, 4097, 20001}) {
      const Planes planes = random_planes(n, count);
      EXPECT_NEAR(
          distance_of(planes),
          by_moments(planes),
          1e-6 * (1 + static_cast<double>(count)));
    }
  }
}

TEST(Consensus, PaddingChangesNothing) {
  for (const int64_t count : {1, 1000, 4090, 4096, 10001}) {
    Planes planes = random_planes(3, count);
    const double before = distance_of(planes);
    for (auto& plane : planes)
      plane.resize(plane.size() + 23);
    EXPECT_EQ(distance_of(planes), before) << count;
  }
}

TEST(Consensus, BugsAreChecked) {
  EXPECT_THROW(consensus_distance(std::span<const double>()), CheckFailure);
  EXPECT_THROW(
      squared_distance(std::vector<float>(3), std::vector<float>(4)),
      CheckFailure);
}

TEST(ConsensusSample, SmallPlanesAreTakenWhole) {
  for (const int64_t size : {int64_t{1}, int64_t{4096}, int64_t{262144}}) {
    const ConsensusSample sample = consensus_sample(size, 1, 0);
    ASSERT_EQ(sample.pieces.size(), 1U);
    EXPECT_EQ(sample.pieces[0], (Range{0, size}));
    EXPECT_EQ(sample.elements, size);
    EXPECT_EQ(sample.scale, 1);
  }
}

TEST(ConsensusSample, LargePlanesGiveAscendingBlocksInsideThem) {
  const int64_t size = 100 * kConsensusBlock + 5;
  for (int64_t step = 0; step < 200; ++step) {
    const ConsensusSample sample = consensus_sample(size, 7, step);
    ASSERT_EQ(static_cast<int64_t>(sample.pieces.size()), kSampledBlocks);
    int64_t elements = 0;
    int64_t end = 0;
    for (const Range& piece : sample.pieces) {
      EXPECT_EQ(piece.begin % kConsensusBlock, 0);
      EXPECT_GE(piece.begin, end);
      EXPECT_LE(piece.end, size);
      EXPECT_GT(piece.size(), 0);
      end = piece.end;
      elements += piece.size();
    }
    EXPECT_EQ(sample.elements, elements);
    EXPECT_DOUBLE_EQ(
        sample.scale,
        static_cast<double>(size) / static_cast<double>(elements));
  }
}

TEST(ConsensusSample, IsAFunctionOfSeedAndStepAndReachesEveryBlockEvenly) {
  const int64_t blocks = 100;
  const int64_t size = blocks * kConsensusBlock;
  EXPECT_EQ(
      consensus_sample(size, 1, 5).pieces,
      consensus_sample(size, 1, 5).pieces);
  EXPECT_NE(
      consensus_sample(size, 1, 5).pieces,
      consensus_sample(size, 1, 6).pieces);
  EXPECT_NE(
      consensus_sample(size, 1, 5).pieces,
      consensus_sample(size, 2, 5).pieces);
  std::map<int64_t, int> seen;
  constexpr int kDraws = 1000;
  for (int step = 0; step < kDraws; ++step) {
    for (const Range& piece : consensus_sample(size, 3, step).pieces)
      ++seen[piece.begin / kConsensusBlock];
  }
  ASSERT_EQ(static_cast<int64_t>(seen.size()), blocks);
  // 640 expected, standard deviation 15; drawn from a fixed seed.
  for (const auto& [block, count] : seen)
    EXPECT_NEAR(count, 640, 75) << block;
}

std::vector<float> draw(size_t count, uint64_t which) {
  std::vector<float> values(count);
  Random random(which, Purpose::kTest);
  for (float& value : values)
    value = static_cast<float>(random.normal());
  return values;
}

double squared_norm(const Sketch& sums) {
  double sum = 0;
  for (const double value : sums)
    sum += value * value;
  return sum;
}

// A fifth of the weight on a single element, as in a model whose last layer
// moves most.
TEST(Sketch, KeepsTheSquaredNormOnTheAverage) {
  auto plane = draw(5000, 1);
  plane[77] = 35;
  double exact = 0;
  for (const float value : plane)
    exact += double{value} * value;
  constexpr int kSeeds = 400;
  double sum = 0;
  double squares = 0;
  for (int seed = 0; seed < kSeeds; ++seed) {
    const double ratio = squared_norm(sketch(plane, seed)) / exact;
    sum += ratio;
    squares += (ratio - 1) * (ratio - 1);
  }
  const double deviation = std::sqrt(squares / kSeeds);
  EXPECT_LT(deviation, 1.15 * std::sqrt(2.0 / kSketchSize));
  EXPECT_NEAR(sum / kSeeds, 1, 4 * deviation / std::sqrt(kSeeds));
}

TEST(Sketch, IsLinear) {
  const auto x = draw(1000, 1);
  const auto y = draw(1000, 2);
  std::vector<float> sum(1000);
  for (size_t e = 0; e < sum.size(); ++e)
    sum[e] = x[e] - y[e];
  const Sketch of_x = sketch(x, 7);
  const Sketch of_y = sketch(y, 7);
  const Sketch of_sum = sketch(sum, 7);
  for (int i = 0; i < kSketchSize; ++i)
    EXPECT_NEAR(of_sum[i], of_x[i] - of_y[i], 1e-5);
}

TEST(Sketch, OfPaddingIsNothing) {
  auto plane = draw(300, 1);
  const Sketch before = sketch(plane, 3);
  plane.resize(1024, 0);
  EXPECT_EQ(sketch(plane, 3), before);
  EXPECT_NE(sketch(plane, 4), before);
  EXPECT_EQ(sketch({}, 3), Sketch{});
}

} // namespace
} // namespace grapevine::record
