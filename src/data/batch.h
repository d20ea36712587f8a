// Samples on their way from a source to a model. No torch here: buffers that
// keep their memory from one use to the next.
#pragma once

#include <cstdint>
#include <vector>

namespace grapevine::data {

// At a position that has none: padding behind a shorter sample. Counts neither
// in a loss nor in a score.
inline constexpr int64_t kNoLabel = -100;

struct Batch {
  // Of this batch: samples of differing lengths are padded to its longest.
  std::vector<int64_t> sample_shape;
  // One of the two is filled, samples x elements of the shape: numbers
  // (images), or tokens, each below the source's classes (text).
  std::vector<float> inputs;
  std::vector<int64_t> tokens;
  std::vector<int64_t> labels; // samples x labels_per_sample
  int64_t labels_per_sample = 1;

  int64_t samples() const {
    return static_cast<int64_t>(labels.size()) / labels_per_sample;
  }
};

} // namespace grapevine::data
