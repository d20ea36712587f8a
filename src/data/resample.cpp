#include "data/resample.h"

#include "base/check.h"

#include <algorithm>
#include <cmath>

namespace grapevine::data {
namespace {

constexpr double kLeastShare = 0.08;
constexpr double kLeastRatio = 3.0 / 4; // columns to rows
constexpr double kMostRatio = 4.0 / 3;
constexpr int kTries = 10;
constexpr double kCentre = 224.0 / 256;

ImageBox in_the_middle(const ImageSize& size, double rows, double columns) {
  return {
      .top = (static_cast<double>(size.rows) - rows) / 2,
      .left = (static_cast<double>(size.columns) - columns) / 2,
      .rows = rows,
      .columns = columns};
}

ImageBox largest_box(const ImageSize& size) {
  const auto rows = static_cast<double>(size.rows);
  const auto columns = static_cast<double>(size.columns);
  return in_the_middle(
      size,
      std::min(rows, std::round(columns / kLeastRatio)),
      std::min(columns, std::round(rows * kMostRatio)));
}

} // namespace

ImageBox random_box(const ImageSize& size, Random& random) {
  const double area = static_cast<double>(size.rows * size.columns);
  const double least = std::log(kLeastRatio);
  const double most = std::log(kMostRatio);
  for (int i = 0; i < kTries; ++i) {
    const double share = kLeastShare + (1 - kLeastShare) * random.uniform();
    const double ratio = std::exp(least + (most - least) * random.uniform());
    const auto columns = std::llround(std::sqrt(area * share * ratio));
    const auto rows = std::llround(std::sqrt(area * share / ratio));
    const bool fits = columns >= 1 && columns <= size.columns && rows >= 1 &&
                      rows <= size.rows;
    if (!fits) continue;
    const auto top = random.below(size.rows - rows + 1);
    const auto left = random.below(size.columns - columns + 1);
    return {
        .top = static_cast<double>(top),
        .left = static_cast<double>(left),
        .rows = static_cast<double>(rows),
        .columns = static_cast<double>(columns)};
  }
  return largest_box(size);
}

ImageBox central_box(const ImageSize& size) {
  const double side =
      kCentre * static_cast<double>(std::min(size.rows, size.columns));
  return in_the_middle(size, side, side);
}

namespace {

constexpr int64_t kColours = 3;

} // namespace

void Resampler::set(
    Weights& weights,
    double begin,
    double extent,
    int64_t places,
    int64_t inputs) {
  const double step = extent / static_cast<double>(places);
  const double reach = std::max(1.0, step);
  // A triangle of width 2 reach covers at most so many centres of pixels.
  weights.taps =
      std::min(inputs, static_cast<int64_t>(std::ceil(2 * reach)) + 1);
  weights.begins.resize(places);
  weights.values.resize(places * weights.taps);
  for (int64_t place = 0; place < places; ++place) {
    const double centre = begin + (static_cast<double>(place) + 0.5) * step;
    const auto first = static_cast<int64_t>(std::floor(centre - reach + 0.5));
    weights.begins[place] =
        std::clamp<int64_t>(first, 0, inputs - weights.taps);
    float* const values = weights.values.data() + place * weights.taps;
    double sum = 0;
    for (int64_t tap = 0; tap < weights.taps; ++tap) {
      const double at = static_cast<double>(weights.begins[place] + tap) + 0.5;
      const double weight = std::max(0.0, 1 - std::abs(at - centre) / reach);
      values[tap] = static_cast<float>(weight);
      sum += weight;
    }
    for (int64_t tap = 0; tap < weights.taps; ++tap)
      values[tap] /= static_cast<float>(sum);
  }
}

void Resampler::narrow(
    const RgbImage& image,
    int64_t first,
    int64_t last,
    int64_t side,
    bool mirrored) {
  narrow_.resize((last - first) * kColours * side);
  for (int64_t row = first; row < last; ++row) {
    const uint8_t* const line =
        image.pixels.data() + row * image.size.columns * kColours;
    float* const to = narrow_.data() + (row - first) * kColours * side;
    for (int64_t place = 0; place < side; ++place) {
      const uint8_t* pixel = line + columns_.begins[place] * kColours;
      const float* const weights =
          columns_.values.data() + place * columns_.taps;
      float red = 0;
      float green = 0;
      float blue = 0;
      for (int64_t tap = 0; tap < columns_.taps; ++tap) {
        const float weight = weights[tap];
        red += weight * static_cast<float>(pixel[0]);
        green += weight * static_cast<float>(pixel[1]);
        blue += weight * static_cast<float>(pixel[2]);
        pixel += kColours;
      }
      const int64_t at = mirrored ? side - 1 - place : place;
      to[at] = red;
      to[side + at] = green;
      to[2 * side + at] = blue;
    }
  }
}

void Resampler::lower(
    int64_t first,
    int64_t side,
    int channel,
    float scale,
    float shift,
    float* result) const {
  const int64_t stride = kColours * side;
  for (int64_t place = 0; place < side; ++place) {
    const float* line = narrow_.data() +
                        (rows_.begins[place] - first) * stride + channel * side;
    const float* const weights = rows_.values.data() + place * rows_.taps;
    float* const to = result + place * side;
    std::fill(to, to + side, shift);
    for (int64_t tap = 0; tap < rows_.taps; ++tap) {
      const float weight = weights[tap] * scale;
      for (int64_t x = 0; x < side; ++x)
        to[x] += weight * line[x];
      line += stride;
    }
  }
}

void Resampler::resample(
    const RgbImage& image,
    const ImageBox& box,
    int64_t side,
    bool mirrored,
    std::span<const ChannelStatistics, 3> channels,
    std::span<float> result) {
  GV_CHECK_GE(side, 1);
  GV_CHECK_EQ(static_cast<int64_t>(result.size()), kColours * side * side);
  set(rows_, box.top, box.rows, side, image.size.rows);
  set(columns_, box.left, box.columns, side, image.size.columns);
  const auto [least, most] = std::ranges::minmax(rows_.begins);
  narrow(image, least, most + rows_.taps, side, mirrored);
  for (int channel = 0; channel < kColours; ++channel) {
    const auto& [mean, sd] = channels[channel];
    lower(
        least,
        side,
        channel,
        static_cast<float>(1 / (255 * sd)),
        static_cast<float>(-mean / sd),
        result.data() + channel * side * side);
  }
}

} // namespace grapevine::data
