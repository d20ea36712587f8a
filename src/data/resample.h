// Which part of a photograph a sample is.
#pragma once

#include "base/random.h"
#include "data/image_source.h"
#include "data/jpeg.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace grapevine::data {

// In pixels of the whole image; edges need not lie between pixels.
struct ImageBox {
  double top = 0;
  double left = 0;
  double rows = 0;
  double columns = 0;
};

// Training (Szegedy et al. 2015, in torchvision's form): of a share of the area
// that is uniform in 0.08 to 1 and a ratio of columns to rows whose logarithm
// is uniform between those of 3/4 and 4/3, rounded to whole pixels, at a place
// uniform among those where it fits. After ten that do not fit, the largest
// box in the middle with a ratio in those bounds.
ImageBox random_box(const ImageSize& size, Random& random);

// Evaluation: what scaling the shorter side to 256 and cutting 224 x 224 out of
// the middle leaves: a square of 224 / 256 of the shorter side.
ImageBox central_box(const ImageSize& size);

// A part of an image at another size, bilinear and antialiased:
//
//   out[y][x] = sum over rows i, columns j of w_y(i) w_x(j) in[i][j]
//   w_y(i) ~ max(0, 1 - |i + 1/2 - c_y| / s),  c_y = top + (y + 1/2) f,
//   f = rows of the part / rows of the result,  s = max(1, f),
//
// and so for the columns, the weights of each y divided by their sum. Where the
// result is larger than the part, that is plain bilinear interpolation; where
// it is smaller, the triangle is as wide as it has to be for no pixel to be
// passed over. The weights reach beyond the part, as far as the image goes.

// Keeps its buffers from one image to the next; one thread's at a time.
class Resampler {
 public:
  // To side x side, mirrored left to right where asked for, each channel in a
  // plane of its own: result = (value / 255 - mean) / sd, 3 x side x side.
  // box: inside the image.
  void resample(
      const RgbImage& image,
      const ImageBox& box,
      int64_t side,
      bool mirrored,
      std::span<const ChannelStatistics, 3> channels,
      std::span<float> result);

 private:
  // Of one direction: place p of the result is the sum of `taps` inputs from
  // begins[p] on, each with its weight.
  struct Weights {
    int64_t taps = 0;
    std::vector<int64_t> begins;
    std::vector<float> values; // places x taps
  };

  static void set(
      Weights& weights,
      double begin,
      double extent,
      int64_t places,
      int64_t inputs);
  // Rows first to last of the image, made as wide as the result.
  void narrow(
      const RgbImage& image,
      int64_t first,
      int64_t last,
      int64_t side,
      bool mirrored);
  // One channel of narrow()'s rows, made as high as the result; times scale,
  // plus shift.
  void lower(
      int64_t first,
      int64_t side,
      int channel,
      float scale,
      float shift,
      float* result) const;

  Weights rows_;
  Weights columns_;
  std::vector<float> narrow_; // row, channel, place
};

} // namespace grapevine::data
