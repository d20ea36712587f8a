#include "data/source.h"

#include "base/check.h"

#include <algorithm>
#include <numeric>

namespace grapevine::data {

int64_t Source::sample_elements() const {
  int64_t elements = 1;
  for (const int64_t extent : sample_shape())
    elements *= extent;
  return elements;
}

void Source::gather(std::span<const int64_t> indices, Batch& batch) const {
  for (const int64_t index : indices)
    GV_CHECK(index >= 0 && index < size());
  const size_t elements = indices.size() * sample_elements();
  batch.inputs.resize(has_tokens() ? 0 : elements);
  batch.tokens.resize(has_tokens() ? elements : 0);
  batch.labels_per_sample = labels_per_sample();
  batch.labels.resize(indices.size() * labels_per_sample());
  fill(indices, batch);
}

std::vector<int64_t> Source::labels() const {
  constexpr int64_t kAtOnce = 1024; // samples
  std::vector<int64_t> labels;
  std::vector<int64_t> indices;
  Batch batch;
  for (int64_t begin = 0; begin < size(); begin += kAtOnce) {
    indices.resize(std::min(kAtOnce, size() - begin));
    std::iota(indices.begin(), indices.end(), begin);
    gather(indices, batch);
    labels.insert(labels.end(), batch.labels.begin(), batch.labels.end());
  }
  return labels;
}

} // namespace grapevine::data
