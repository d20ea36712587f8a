#include "data/image_source.h"

#include "base/check.h"

#include <algorithm>
#include <utility>

namespace grapevine::data {

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
