#include "run/translation.h"

#include "data/bleu.h"
#include "data/source.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

namespace grapevine::run {
namespace {

constexpr int64_t kSentencesAtOnce = 32;

std::vector<int64_t> by_length(const data::Source& test) {
  const std::vector<int64_t> lengths = test.lengths();
  std::vector<int64_t> order(lengths.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int64_t i) { return lengths[i]; });
  return order;
}

data::BleuCounts count_batch(
    const Worker& translator,
    const data::Source& test,
    std::span<const int64_t> indices,
    const TranslationOptions& options) {
  data::Batch batch;
  test.gather(indices, batch);
  const auto translations = translator.translate(batch, options);
  data::BleuCounts counts;
  for (size_t i = 0; i < indices.size(); ++i) {
    counts += data::count_bleu(
        test.pairs()->text_of(translations[i]),
        test.pairs()->reference(indices[i]));
  }
  return counts;
}

std::vector<double> row_of(const data::BleuCounts& counts) {
  std::vector<double> row = {
      static_cast<double>(counts.candidate_words),
      static_cast<double>(counts.reference_words)};
  for (int n = 0; n < data::BleuCounts::kOrders; ++n) {
    row.push_back(static_cast<double>(counts.matches[n]));
    row.push_back(static_cast<double>(counts.candidates[n]));
  }
  return row;
}

data::BleuCounts counts_in(const std::vector<double>& row) {
  data::BleuCounts counts;
  counts.candidate_words = std::llround(row[0]);
  counts.reference_words = std::llround(row[1]);
  for (int n = 0; n < data::BleuCounts::kOrders; ++n) {
    counts.matches[n] = std::llround(row[2 + 2 * n]);
    counts.candidates[n] = std::llround(row[3 + 2 * n]);
  }
  return counts;
}

} // namespace

double corpus_bleu(
    mix::Cluster& cluster,
    const Worker& translator,
    const data::Source& test,
    const TranslationOptions& options) {
  const std::vector<int64_t> order = by_length(test);
  const auto sentences = static_cast<int64_t>(order.size());
  mix::Rows mine(cluster.hosted().size());
  cluster.for_each([&](int index) {
    data::BleuCounts counts;
    const int64_t stride = kSentencesAtOnce * cluster.size();
    for (int64_t begin = kSentencesAtOnce * cluster.hosted()[index];
         begin < sentences;
         begin += stride) {
      const int64_t count = std::min(kSentencesAtOnce, sentences - begin);
      counts += count_batch(
          translator,
          test,
          std::span(order).subspan(begin, count),
          options);
    }
    mine[index] = row_of(counts);
  });
  data::BleuCounts all;
  for (const std::vector<double>& row : cluster.all_gather(mine))
    all += counts_in(row);
  return all.score();
}

} // namespace grapevine::run
