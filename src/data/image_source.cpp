#include "data/image_source.h"

#include "base/check.h"

#include <utility>

namespace grapevine::data {

ImageSource::ImageSource(ImageSet set)
    : set_(std::move(set)),
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

void ImageSource::fill(
    std::span<const int64_t> indices,
    Batch& batch,
    const Draw* /*draw*/) const {
  const int64_t plane = set_.rows * set_.columns;
  const int64_t sample = plane * static_cast<int64_t>(normalised_.size());
  float* to = batch.inputs.data();
  for (size_t b = 0; b < indices.size(); ++b) {
    const int64_t index = indices[b];
    batch.labels[b] = set_.labels[index];
    const uint8_t* from = set_.pixels.data() + index * sample;
    for (const auto& value : normalised_) {
      for (int64_t i = 0; i < plane; ++i)
        *to++ = value[*from++];
    }
  }
}

} // namespace grapevine::data
