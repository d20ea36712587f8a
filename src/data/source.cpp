#include "data/source.h"

#include "base/check.h"
#include "base/error.h"
#include "base/random.h"

#include <fmt/format.h>

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

namespace {

class Subset : public Source {
 public:
  Subset(std::shared_ptr<const Source> whole, std::vector<int64_t> chosen)
      : whole_(std::move(whole)),
        chosen_(std::move(chosen)) {}

  int64_t size() const override { return static_cast<int64_t>(chosen_.size()); }
  std::vector<int64_t> sample_shape() const override {
    return whole_->sample_shape();
  }
  int classes() const override { return whole_->classes(); }
  bool has_tokens() const override { return whole_->has_tokens(); }
  int64_t labels_per_sample() const override {
    return whole_->labels_per_sample();
  }

  const SentencePairs* pairs() const override {
    return whole_->pairs() == nullptr ? nullptr : &pairs_;
  }

  Reading reading() const override { return whole_->reading(); }
  BatchShape shape_of(std::span<const int64_t> indices) const override {
    return whole_->shape_of(theirs(indices));
  }

  std::vector<int64_t> lengths() const override {
    const std::vector<int64_t> all = whole_->lengths();
    std::vector<int64_t> mine;
    for (const int64_t index : chosen_)
      mine.push_back(all[index]);
    return mine;
  }

  std::vector<int64_t> labels() const override {
    const std::vector<int64_t> all = whole_->labels();
    const int64_t each = labels_per_sample();
    std::vector<int64_t> mine;
    for (const int64_t index : chosen_) {
      const auto first = all.begin() + index * each;
      mine.insert(mine.end(), first, first + each);
    }
    return mine;
  }

  std::vector<int64_t> files() const override {
    const std::vector<int64_t> all = whole_->files();
    if (all.empty()) return {};
    std::vector<int64_t> mine;
    for (const int64_t index : chosen_)
      mine.push_back(all[index]);
    return mine;
  }

 private:
  void fill(std::span<const int64_t> indices, Batch& batch, const Draw* draw)
      const override {
    whole_->gather(theirs(indices), batch, draw);
  }

  std::vector<int64_t> theirs(std::span<const int64_t> mine) const {
    std::vector<int64_t> indices;
    indices.reserve(mine.size());
    for (const int64_t index : mine)
      indices.push_back(chosen_[index]);
    return indices;
  }

  class ChosenPairs final : public SentencePairs {
   public:
    explicit ChosenPairs(const Subset& subset) : subset_(subset) {}
    std::string_view reference(int64_t index) const override {
      return subset_.whole_->pairs()->reference(subset_.chosen_[index]);
    }
    std::string text_of(std::span<const int64_t> tokens) const override {
      return subset_.whole_->pairs()->text_of(tokens);
    }

   private:
    const Subset& subset_;
  };

  std::shared_ptr<const Source> whole_;
  std::vector<int64_t> chosen_;
  ChosenPairs pairs_{*this};
};

} // namespace

std::shared_ptr<const Source> make_subset(
    std::shared_ptr<const Source> whole,
    int64_t samples,
    const std::string& option) {
  if (samples > whole->size()) {
    throw ConfigError(fmt::format(
        "{}: the data have {} such samples, got {}",
        option,
        whole->size(),
        samples));
  }
  std::vector<int64_t> order(whole->size());
  std::iota(order.begin(), order.end(), 0);
  if (whole->reading() != Reading::kStreams) {
    Random(0, Purpose::kSubset).shuffle(std::span(order));
  }
  order.resize(samples);
  return std::make_shared<Subset>(std::move(whole), std::move(order));
}

} // namespace grapevine::data
