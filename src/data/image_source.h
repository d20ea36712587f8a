// Small images changed by chance in training (He et al. 2016, section 4.2;
// cutout: DeVries and Taylor 2017):
//
//   crop     a window of the image's own size out of the image with kPadding
//            pixels of padding all around: shifted by -4 to 4 rows and columns
//   flip     mirrored left to right, every other time
//   cutout   a square of `cutout` x `cutout` around a pixel of the image is
//            taken out, as much of it as lies inside
//
// Padding and what is cut out are 0 behind normalisation, the mean colour. The
// chance of a sample is that of (seed, epoch, sample): no thread, worker or
// order changes it.
#pragma once

#include "base/random.h"
#include "data/source.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace grapevine::data {

struct Augmentation {
  bool crops_and_flips = false;
  int64_t cutout = 0; // side in pixels; 0: none

  bool changes() const { return crops_and_flips || cutout > 0; }
};

// The words of the option `augment`.
const std::vector<std::string>& augmentation_names();

// Of one of these words. Throws ConfigError for another.
Augmentation augmentation(const std::string& name, int64_t cutout);

// What happens to one image.
struct Change {
  static constexpr int64_t kPadding = 4;

  int64_t down = 0;  // the window begins so many rows further down
  int64_t right = 0; // and so many columns further right
  bool flips = false;
  // Rows and columns of the result that are taken out, [begin, end).
  int64_t cut_rows[2] = {0, 0};
  int64_t cut_columns[2] = {0, 0};
};

Change draw_change(
    const Augmentation& augmentation,
    int64_t rows,
    int64_t columns,
    Random random);

// One channel, rows x columns: result = values[bytes], changed. Every element
// of the result is written.
struct Plane {
  int64_t rows;
  int64_t columns;
};
void change_plane(
    const Change& change,
    const Plane& plane,
    const uint8_t* bytes,
    std::span<const float, 256> values,
    float* result);

// Images kept as the bytes they were published as, normalised when gathered:
//
//   input = (byte / 255 - mean[channel]) / sd[channel]
//
// by a table of 256 values a channel, computed in double and rounded once.
// Training samples are changed by chance (data/image_source.h) where asked for.

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
