#include "data/resample.h"

#include "data/jpeg_writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace grapevine::data {
namespace {

constexpr std::array<ChannelStatistics, 3> kPlain = {
    {{0, 1.0 / 255}, {0, 1.0 / 255}, {0, 1.0 / 255}}};

RgbImage noise(const ImageSize& size) {
  Random random(1, Purpose::kTest);
  return painted(size, [&](int64_t, int64_t, int) {
    return static_cast<uint8_t>(random.below(256));
  });
}

// Weight of pixel i, not yet divided by the sum: the header's formula.
double
weight(double i, double begin, double extent, int64_t place, int64_t side) {
  const double factor = extent / static_cast<double>(side);
  const double centre = begin + (static_cast<double>(place) + 0.5) * factor;
  return std::max(0.0, 1 - std::abs(i + 0.5 - centre) / std::max(1.0, factor));
}

double slow(
    const RgbImage& image,
    const ImageBox& box,
    int64_t side,
    int64_t y,
    int64_t x,
    int channel) {
  double sum = 0;
  double weights = 0;
  for (int64_t i = 0; i < image.size.rows; ++i) {
    for (int64_t j = 0; j < image.size.columns; ++j) {
      const double w =
          weight(static_cast<double>(i), box.top, box.rows, y, side) *
          weight(static_cast<double>(j), box.left, box.columns, x, side);
      weights += w;
      sum += w * image.pixels[(i * image.size.columns + j) * 3 + channel];
    }
  }
  return sum / weights;
}

TEST(Resample, IsItsFormula) {
  Resampler resampler;
  for (const ImageSize size :
       {ImageSize{1, 1}, {5, 9}, {40, 30}, {64, 64}, {3, 50}}) {
    const RgbImage image = noise(size);
    const auto rows = static_cast<double>(size.rows);
    const auto columns = static_cast<double>(size.columns);
    for (const ImageBox& box :
         {ImageBox{0, 0, rows, columns},
          ImageBox{rows / 4, columns / 3, rows / 2, columns / 2},
          ImageBox{rows - 1, columns - 1, 1, 1}}) {
      for (const int64_t side : {1, 7, 16}) {
        for (const bool mirrored : {false, true}) {
          std::vector<float> result(3 * side * side, -1);
          resampler.resample(image, box, side, mirrored, kPlain, result);
          for (int64_t i = 0; i < 3 * side * side; ++i) {
            const int64_t y = i / side % side;
            const int64_t x = i % side;
            EXPECT_NEAR(
                result[i],
                slow(
                    image,
                    box,
                    side,
                    y,
                    mirrored ? side - 1 - x : x,
                    static_cast<int>(i / side / side)),
                1e-2);
          }
        }
      }
    }
  }
}

TEST(Resample, SameSizeIsTheSameImage) {
  const RgbImage image = noise({12, 12});
  std::vector<float> result(3 * 12 * 12);
  Resampler().resample(image, {0, 0, 12, 12}, 12, false, kPlain, result);
  for (int64_t i = 0; i < 144; ++i) {
    for (int c = 0; c < 3; ++c)
      EXPECT_NEAR(result[c * 144 + i], image.pixels[i * 3 + c], 1e-3);
  }
}

TEST(Resample, Normalises) {
  const RgbImage image =
      painted({8, 8}, [](int64_t, int64_t, int channel) -> uint8_t {
        return static_cast<uint8_t>(51 * (channel + 1));
      });
  const std::array<ChannelStatistics, 3> channels = {
      {{0.1, 0.5}, {0.2, 0.25}, {0.3, 0.125}}};
  std::vector<float> result(3 * 4 * 4);
  Resampler().resample(image, {1, 1, 5, 6}, 4, false, channels, result);
  for (int i = 0; i < 16; ++i) {
    EXPECT_NEAR(result[i], (0.2 - 0.1) / 0.5, 1e-5);
    EXPECT_NEAR(result[16 + i], (0.4 - 0.2) / 0.25, 1e-5);
    EXPECT_NEAR(result[32 + i], (0.6 - 0.3) / 0.125, 1e-5);
  }
}

TEST(ImageBox, CentreIsSevenEighthsOfTheShorterSide) {
  const ImageBox box = central_box({256, 400});
  EXPECT_EQ(box.rows, 224);
  EXPECT_EQ(box.columns, 224);
  EXPECT_EQ(box.top, 16);
  EXPECT_EQ(box.left, 88);
}

TEST(ImageBox, RandomOnesHaveTheirAreasAndRatios) {
  constexpr int kDraws = 20000;
  const ImageSize size{375, 500};
  // Up to half of this image's area every ratio fits, so that no draw is
  // rejected there.
  double share_sum = 0;
  double log_ratio_sum = 0;
  int small = 0;
  for (int i = 0; i < kDraws; ++i) {
    Random random(1, Purpose::kAugment, 0, i);
    const ImageBox box = random_box(size, random);
    EXPECT_GE(box.top, 0);
    EXPECT_GE(box.left, 0);
    EXPECT_LE(box.top + box.rows, 375);
    EXPECT_LE(box.left + box.columns, 500);
    const double share = box.rows * box.columns / (375.0 * 500.0);
    EXPECT_GT(share, 0.079);
    EXPECT_GT(box.columns / box.rows, 0.74);
    EXPECT_LT(box.columns / box.rows, 1.345);
    if (share > 0.5) continue;
    ++small;
    share_sum += share;
    log_ratio_sum += std::log(box.columns / box.rows);
  }
  EXPECT_GT(small, kDraws * (0.5 - 0.08) / 0.92 * 0.97);
  // Standard errors are 0.0012 and 0.0017.
  EXPECT_NEAR(share_sum / small, (0.08 + 0.5) / 2, 0.006);
  EXPECT_NEAR(log_ratio_sum / small, 0, 0.009);
}

TEST(ImageBox, ThinImagesGetTheirMiddle) {
  Random random(1, Purpose::kAugment);
  const ImageBox box = random_box({1000, 10}, random);
  EXPECT_EQ(box.columns, 10);
  EXPECT_EQ(box.rows, 13); // 10 / (3/4), rounded
  EXPECT_EQ(box.top, (1000 - 13) / 2.0);
  const ImageBox one = random_box({1, 1}, random);
  EXPECT_EQ(one.rows * one.columns, 1);
}

} // namespace
} // namespace grapevine::data
