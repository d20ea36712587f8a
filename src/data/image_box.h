// Which part of a photograph a sample is.
#pragma once

#include "base/random.h"
#include "data/jpeg.h"

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

} // namespace grapevine::data
