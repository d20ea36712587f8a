#include "data/augment.h"

#include "base/error.h"
#include "base/names.h"

#include <algorithm>

namespace grapevine::data {

const std::vector<std::string>& augmentation_names() {
  static const std::vector<std::string> names = {
      "none",
      "crop-flip",
      "crop-flip-cutout"};
  return names;
}

Augmentation augmentation(const std::string& name, int64_t cutout) {
  if (name == "none") return {};
  if (name == "crop-flip") return {.crops_and_flips = true};
  if (name == "crop-flip-cutout") {
    return {.crops_and_flips = true, .cutout = cutout};
  }
  throw ConfigError(unknown_name("augment", name, augmentation_names()));
}

Change draw_change(
    const Augmentation& augmentation,
    int64_t rows,
    int64_t columns,
    Random random) {
  Change change;
  if (augmentation.crops_and_flips) {
    constexpr int64_t kShifts = 2 * Change::kPadding + 1;
    change.down =
        static_cast<int64_t>(random.below(kShifts)) - Change::kPadding;
    change.right =
        static_cast<int64_t>(random.below(kShifts)) - Change::kPadding;
    change.flips = random.below(2) == 1;
  }
  if (augmentation.cutout > 0) {
    const auto cut = [&](int64_t extent, int64_t(&range)[2]) {
      const auto centre = static_cast<int64_t>(random.below(extent));
      const int64_t begin = centre - augmentation.cutout / 2;
      range[0] = std::max<int64_t>(begin, 0);
      range[1] = std::min(begin + augmentation.cutout, extent);
    };
    cut(rows, change.cut_rows);
    cut(columns, change.cut_columns);
  }
  return change;
}

void change_plane(
    const Change& change,
    const Plane& plane,
    const uint8_t* bytes,
    std::span<const float, 256> values,
    float* result) {
  const auto [rows, columns] = plane;
  // Columns of the window that lie inside the image.
  const int64_t begin = std::clamp<int64_t>(-change.right, 0, columns);
  const int64_t end = std::clamp<int64_t>(columns - change.right, 0, columns);
  for (int64_t row = 0; row < rows; ++row) {
    float* const to = result + row * columns;
    const int64_t from = row + change.down;
    if (from < 0 || from >= rows) {
      std::fill(to, to + columns, 0.0F);
      continue;
    }
    const uint8_t* const line = bytes + from * columns + change.right;
    std::fill(to, to + begin, 0.0F);
    for (int64_t column = begin; column < end; ++column)
      to[column] = values[line[column]];
    std::fill(to + end, to + columns, 0.0F);
    if (change.flips) std::reverse(to, to + columns);
  }
  for (int64_t row = change.cut_rows[0]; row < change.cut_rows[1]; ++row) {
    float* const to = result + row * columns;
    std::fill(to + change.cut_columns[0], to + change.cut_columns[1], 0.0F);
  }
}

} // namespace grapevine::data
