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

std::vector<int64_t> Source::lengths() const {
  GV_CHECK(reading() == Reading::kByLength); // and then it says them
  return {};
}

BatchShape Source::shape_of(std::span<const int64_t> /*indices*/) const {
  return {sample_shape(), labels_per_sample()};
}

void Source::gather(
    std::span<const int64_t> indices,
    Batch& batch,
    const Draw* draw) const {
  for (const int64_t index : indices)
    GV_CHECK(index >= 0 && index < size());
  BatchShape shape = shape_of(indices);
  size_t elements = indices.size();
  for (const int64_t extent : shape.sample)
    elements *= extent;
  batch.sample_shape = std::move(shape.sample);
  batch.inputs.resize(has_tokens() ? 0 : elements);
  batch.tokens.resize(has_tokens() ? elements : 0);
  batch.labels_per_sample = shape.labels_per_sample;
  batch.labels.resize(indices.size() * shape.labels_per_sample);
  fill(indices, batch, draw);
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
