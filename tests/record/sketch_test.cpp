#include "record/sketch.h"

#include "base/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace grapevine::record {
namespace {

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
