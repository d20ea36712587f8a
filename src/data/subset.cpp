#include "data/subset.h"

#include "base/error.h"
#include "base/random.h"

#include <fmt/format.h>

#include <numeric>

namespace grapevine::data {
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

  std::vector<int64_t> labels() const override {
    const std::vector<int64_t> theirs = whole_->labels();
    const int64_t each = labels_per_sample();
    std::vector<int64_t> mine;
    for (const int64_t index : chosen_) {
      const auto first = theirs.begin() + index * each;
      mine.insert(mine.end(), first, first + each);
    }
    return mine;
  }

 private:
  void fill(std::span<const int64_t> indices, Batch& batch) const override {
    std::vector<int64_t> theirs;
    theirs.reserve(indices.size());
    for (const int64_t index : indices)
      theirs.push_back(chosen_[index]);
    whole_->gather(theirs, batch);
  }

  std::shared_ptr<const Source> whole_;
  std::vector<int64_t> chosen_;
};

} // namespace

std::shared_ptr<const Source> make_subset(
    std::shared_ptr<const Source> whole,
    int64_t samples) {
  if (samples > whole->size()) {
    throw ConfigError(fmt::format(
        "train-samples: the data have {} training samples, got {}",
        whole->size(),
        samples));
  }
  std::vector<int64_t> order(whole->size());
  std::iota(order.begin(), order.end(), 0);
  Random(0, Purpose::kSubset).shuffle(std::span(order));
  order.resize(samples);
  return std::make_shared<Subset>(std::move(whole), std::move(order));
}

} // namespace grapevine::data
