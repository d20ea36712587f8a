#include "run/evaluation_set.h"

#include "data/sharder.h"

#include <algorithm>

namespace grapevine::run {
namespace {

// Samples of a batch, fewer where they have many labels each.
constexpr int64_t kEvaluationBatch = 500;
constexpr int64_t kEvaluationLabels = 4096;
// Few enough for their cold beginnings not to count.
constexpr int64_t kEvaluationStreams = 16;
constexpr int64_t kStreamsOfAPart = 4;
// Numbers kept in memory for a set; above it they are gathered each time.
constexpr int64_t kMostNumbers = int64_t{1} << 27;

} // namespace

EvaluationSet::EvaluationSet(
    const data::Source& source,
    std::span<const int64_t> indices,
    const EvaluationOptions& options)
    : source_(source),
      samples_(static_cast<int64_t>(indices.size())) {
  const data::Reading reading = source.reading();
  if (options.in_streams && reading == data::Reading::kStreams) {
    cut_into_streams(indices);
  } else if (reading == data::Reading::kByLength) {
    cut_by_length(indices);
  } else {
    cut_into_batches(indices);
  }
  if (!fits_in_memory()) return;
  for (Part& part : parts_) {
    for (Pass& pass : part)
      source_.gather(pass.indices, pass.batch);
  }
}

void EvaluationSet::cut_into_batches(std::span<const int64_t> indices) {
  const int64_t batch = std::clamp<int64_t>(
      kEvaluationLabels / source_.labels_per_sample(),
      1,
      kEvaluationBatch);
  for (int64_t begin = 0; begin < samples_; begin += batch) {
    add_batch(indices.subspan(begin, std::min(batch, samples_ - begin)));
  }
}

void EvaluationSet::add_batch(std::span<const int64_t> indices) {
  parts_.push_back(
      {{.indices = {indices.begin(), indices.end()}, .batch = {}}});
}

void EvaluationSet::cut_by_length(std::span<const int64_t> indices) {
  const std::vector<int64_t> lengths = source_.lengths();
  std::vector<int64_t> sorted(indices.begin(), indices.end());
  std::ranges::stable_sort(sorted, {}, [&](int64_t i) { return lengths[i]; });
  std::vector<int64_t> rising(sorted.size());
  std::ranges::transform(sorted, rising.begin(), [&](int64_t index) {
    return lengths[index];
  });
  const std::vector<int64_t> begins =
      data::token_batches(rising, kEvaluationLabels);
  for (size_t b = 0; b + 1 < begins.size(); ++b) {
    add_batch(std::span<const int64_t>(sorted).subspan(
        begins[b],
        begins[b + 1] - begins[b]));
  }
}

void EvaluationSet::cut_into_streams(std::span<const int64_t> indices) {
  const int64_t length = samples_ / kEvaluationStreams;
  for (int64_t stream = 0; length > 0 && stream < kEvaluationStreams;
       stream += kStreamsOfAPart) {
    add_streams(indices.subspan(stream * length), kStreamsOfAPart, length);
  }
  const int64_t rest = samples_ - length * kEvaluationStreams;
  if (rest > 0) add_streams(indices.last(rest), 1, rest);
}

// Those that the indices begin with.
void EvaluationSet::add_streams(
    std::span<const int64_t> indices,
    int64_t streams,
    int64_t length) {
  Part part(length);
  for (int64_t step = 0; step < length; ++step) {
    for (int64_t stream = 0; stream < streams; ++stream)
      part[step].indices.push_back(indices[stream * length + step]);
  }
  parts_.push_back(std::move(part));
}

bool EvaluationSet::fits_in_memory() const {
  return samples_ <= kMostNumbers / source_.sample_elements();
}

void EvaluationSet::for_each_batch(
    int64_t part,
    const std::function<void(const data::Batch&)>& visit) const {
  data::Batch gathered;
  for (const Pass& pass : parts_[part]) {
    if (pass.batch.labels.empty()) {
      source_.gather(pass.indices, gathered);
      visit(gathered);
    } else {
      visit(pass.batch);
    }
  }
}

} // namespace grapevine::run
