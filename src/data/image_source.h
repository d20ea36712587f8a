// Images kept as the bytes they were published as, normalised when gathered:
//
//   input = (byte / 255 - mean[channel]) / sd[channel]
//
// by a table of 256 values a channel, computed in double and rounded once.
// Training samples are changed by chance (data/augment.h) where asked for.
#pragma once

#include "data/augment.h"
#include "data/source.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace grapevine::data {

// Of one channel, over the pixels of the training set, as fractions of 255.
struct ChannelStatistics {
  double mean;
  double sd;
};

struct ImageSet {
  int64_t rows;
  int64_t columns;
  int classes;
  std::vector<ChannelStatistics> channels;
  std::vector<uint8_t> pixels; // sample, channel, row, column
  std::vector<uint8_t> labels;
  // Samples that came in one file, if they came in several files of the same
  // number; 0: they did not.
  int64_t samples_a_file = 0;
};

class ImageSource final : public Source {
 public:
  explicit ImageSource(ImageSet set, const Augmentation& augmentation = {});

  int64_t size() const override;
  std::vector<int64_t> sample_shape() const override;
  int classes() const override { return set_.classes; }
  std::vector<int64_t> labels() const override {
    return {set_.labels.begin(), set_.labels.end()};
  }
  std::vector<int64_t> files() const override;

 private:
  void fill(std::span<const int64_t> indices, Batch& batch, const Draw* draw)
      const override;

  ImageSet set_;
  Augmentation augmentation_;
  std::vector<std::array<float, 256>> normalised_; // by channel
};

} // namespace grapevine::data
