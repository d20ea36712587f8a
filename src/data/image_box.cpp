#include "data/image_box.h"

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

} // namespace grapevine::data
