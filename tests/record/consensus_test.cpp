#include "record/consensus.h"

#include "base/check.h"
#include "base/random.h"

#include <gtest/gtest.h>

#include <cmath>
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

double in_one_process(const Planes& planes, int threads) {
  std::vector<const float*> pointers;
  for (const auto& plane : planes)
    pointers.push_back(plane.data());
  ThreadPool pool(threads);
  return consensus_distance(
      pointers,
      static_cast<int64_t>(planes[0].size()),
      pool);
}

// As n processes do it: the all-reduce's mean, each its own distance.
double by_pieces(const Planes& planes) {
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
  EXPECT_DOUBLE_EQ(in_one_process({{1, 2}, {2, 0}, {3, -2}}, 1), 10.0 / 3);
  EXPECT_EQ(in_one_process({{1, 2}, {3, 2}}, 1), 1);
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
    const double distance = in_one_process(Planes(n, plane), 2);
    const double size = squared_distance(plane, std::vector<float>(10000));
    const double rounding = std::ldexp(static_cast<double>(n + 1), -24);
    EXPECT_LE(distance, n <= 2 ? 0 : rounding * rounding * size) << n;
  }
}

TEST(Consensus, SameBitsInBothFormsAndForAnyThreads) {
  for (const int n : {1, 2, 3, 4, 7, 8}) {
    for (const int64_t count : {0, 1, 7, 8, 4095, 4096, 4097, 20001}) {
      const Planes planes = random_planes(n, count);
      const double expected = by_pieces(planes);
      for (const int threads : {1, 2, 3}) {
        EXPECT_EQ(in_one_process(planes, threads), expected)
            << n << " workers, " << count << " floats, " << threads;
      }
      EXPECT_NEAR(expected, by_moments(planes), 1e-6 * (1 + count));
    }
  }
}

TEST(Consensus, PaddingChangesNothing) {
  for (const int64_t count : {1, 1000, 4090, 4096, 10001}) {
    Planes planes = random_planes(3, count);
    const double before = in_one_process(planes, 2);
    for (auto& plane : planes)
      plane.resize(plane.size() + 23);
    EXPECT_EQ(in_one_process(planes, 2), before) << count;
    EXPECT_EQ(by_pieces(planes), before) << count;
  }
}

TEST(Consensus, BugsAreChecked) {
  ThreadPool pool(1);
  EXPECT_THROW(
      consensus_distance(std::span<const float* const>(), 0, pool),
      CheckFailure);
  EXPECT_THROW(consensus_distance(std::span<const double>()), CheckFailure);
  EXPECT_THROW(
      squared_distance(std::vector<float>(3), std::vector<float>(4)),
      CheckFailure);
}

} // namespace
} // namespace grapevine::record
