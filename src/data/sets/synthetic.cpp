// Gaussian clusters, one a class, for tests and for machines without data:
//
//   sample i of class c = i mod classes:  x = 0.2 m_c + e_i
//
// with m_c and e_i standard normal in every element, so that centres of
// {1, 28, 28} stand about 8 noise standard deviations apart: learnt by an MLP
// in a few epochs, not by chance. The numbers are addressed: centres by (seed,
// kSynthetic, 0, c), noise by (seed, kSynthetic, 1 for training or 2 for test,
// i), so a longer set begins with the shorter one's samples.
#include "data/sets/sets.h"

#include "base/error.h"
#include "base/random.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace grapevine::data {
namespace {

constexpr double kSeparation = 0.2;
constexpr int64_t kLargestSamples = 1'000'000;
constexpr int64_t kLargestElements = 1 << 20;

enum Part : uint64_t { kCentres = 0, kTrain = 1, kTest = 2 };

using Values = std::vector<float>;

class SyntheticSource final : public Source {
 public:
  SyntheticSource(std::vector<int64_t> shape, int classes, Values values)
      : shape_(std::move(shape)),
        classes_(classes),
        values_(std::move(values)),
        elements_(sample_elements()) {}

  int64_t size() const override {
    return static_cast<int64_t>(values_.size()) / elements_;
  }
  std::vector<int64_t> sample_shape() const override { return shape_; }
  int classes() const override { return classes_; }

 private:
  void fill(
      std::span<const int64_t> indices,
      Batch& batch,
      const Draw* /*draw*/) const override {
    for (size_t b = 0; b < indices.size(); ++b) {
      batch.labels[b] = indices[b] % classes_;
      std::copy_n(
          values_.data() + indices[b] * elements_,
          elements_,
          batch.inputs.data() + static_cast<int64_t>(b) * elements_);
    }
  }

  std::vector<int64_t> shape_;
  int classes_;
  Values values_;
  int64_t elements_;
};

int64_t checked_elements(const DataOptions& options) {
  int64_t elements = options.synthetic_shape.empty() ? 0 : 1;
  for (const int64_t extent : options.synthetic_shape) {
    // Divided, not multiplied: a product of given numbers may overflow.
    const bool fits = extent >= 1 && extent <= kLargestElements / elements;
    elements = fits ? elements * extent : 0;
    if (!fits) break;
  }
  if (elements == 0) {
    throw ConfigError(fmt::format(
        "synthetic shape {}: expected extents of at least 1 and at most {} "
        "elements, e.g. 1, 28, 28",
        fmt::join(options.synthetic_shape, ", "),
        kLargestElements));
  }
  return elements;
}

void check_sizes(const DataOptions& options) {
  const int64_t samples = options.synthetic_samples;
  if (samples < 4 || samples > kLargestSamples) {
    throw ConfigError(fmt::format(
        "synthetic samples {}: allowed are 4 to {}",
        samples,
        kLargestSamples));
  }
  if (options.synthetic_classes < 2 || options.synthetic_classes > 1000) {
    throw ConfigError(fmt::format(
        "synthetic classes {}: allowed are 2 to 1000",
        options.synthetic_classes));
  }
}

Values make_centres(uint64_t seed, int classes, int64_t elements) {
  Values centres;
  centres.reserve(classes * elements);
  for (int c = 0; c < classes; ++c) {
    Random random(seed, Purpose::kSynthetic, kCentres, c);
    for (int64_t e = 0; e < elements; ++e) {
      centres.push_back(static_cast<float>(kSeparation * random.normal()));
    }
  }
  return centres;
}

std::shared_ptr<const Source> make_part(
    const DataOptions& options,
    Part part,
    int64_t samples,
    const Values& centres) {
  const int classes = options.synthetic_classes;
  const int64_t elements = static_cast<int64_t>(centres.size()) / classes;
  Values values;
  values.reserve(samples * elements);
  for (int64_t i = 0; i < samples; ++i) {
    Random random(options.seed, Purpose::kSynthetic, part, i);
    const float* centre = centres.data() + i % classes * elements;
    for (int64_t e = 0; e < elements; ++e) {
      values.push_back(centre[e] + static_cast<float>(random.normal()));
    }
  }
  return std::make_shared<SyntheticSource>(
      options.synthetic_shape,
      classes,
      std::move(values));
}

} // namespace

Dataset make_synthetic(const DataOptions& options) {
  check_sizes(options);
  const auto centres = make_centres(
      options.seed,
      options.synthetic_classes,
      checked_elements(options));
  const int64_t samples = options.synthetic_samples;
  return {
      .name = "synthetic",
      .train = make_part(options, kTrain, samples, centres),
      .test = make_part(options, kTest, samples / 4, centres)};
}

} // namespace grapevine::data
