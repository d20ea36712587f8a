#include "data/image_source.h"

#include "base/check.h"
#include "base/error.h"
#include "base/names.h"

#include <algorithm>
#include <utility>

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

ImageSource::ImageSource(ImageSet set, const Augmentation& augmentation)
    : set_(std::move(set)),
      augmentation_(augmentation),
      normalised_(set_.channels.size()) {
  GV_CHECK_EQ(
      static_cast<int64_t>(set_.pixels.size()),
      size() * sample_elements());
  for (size_t channel = 0; channel < normalised_.size(); ++channel) {
    const auto& [mean, sd] = set_.channels[channel];
    for (int byte = 0; byte < 256; ++byte) {
      normalised_[channel][byte] =
          static_cast<float>((byte / 255.0 - mean) / sd);
    }
  }
}

int64_t ImageSource::size() const {
  return static_cast<int64_t>(set_.labels.size());
}

std::vector<int64_t> ImageSource::sample_shape() const {
  return {static_cast<int64_t>(set_.channels.size()), set_.rows, set_.columns};
}

std::vector<int64_t> ImageSource::files() const {
  if (set_.samples_a_file == 0) return {};
  std::vector<int64_t> files;
  for (int64_t i = 0; i < size(); ++i)
    files.push_back(i / set_.samples_a_file);
  return files;
}

void ImageSource::fill(
    std::span<const int64_t> indices,
    Batch& batch,
    const Draw* draw) const {
  const int64_t plane = set_.rows * set_.columns;
  const int64_t sample = plane * static_cast<int64_t>(normalised_.size());
  float* to = batch.inputs.data();
  for (size_t b = 0; b < indices.size(); ++b) {
    const int64_t index = indices[b];
    batch.labels[b] = set_.labels[index];
    const uint8_t* from = set_.pixels.data() + index * sample;
    const bool changes = draw != nullptr && augmentation_.changes();
    Change change;
    if (changes) {
      const Random random(draw->seed, Purpose::kAugment, draw->epoch, index);
      change = draw_change(augmentation_, set_.rows, set_.columns, random);
    }
    for (const auto& values : normalised_) {
      if (changes) {
        change_plane(change, {set_.rows, set_.columns}, from, values, to);
      } else {
        std::transform(from, from + plane, to, [&](uint8_t byte) {
          return values[byte];
        });
      }
      from += plane;
      to += plane;
    }
  }
}

} // namespace grapevine::data
