#include "data/bleu.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace grapevine::data {
namespace {

using Words = std::vector<std::string_view>;

Words words_of(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  Words words;
  for (;;) {
    const size_t begin = text.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return words;
    const size_t end =
        std::min(text.find_first_of(kBlanks, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    text.remove_prefix(end);
  }
}

std::map<Words, int64_t> count_ngrams(const Words& words, size_t order) {
  std::map<Words, int64_t> counts;
  for (size_t i = 0; i + order <= words.size(); ++i) {
    const auto begin = words.begin() + static_cast<std::ptrdiff_t>(i);
    ++counts[Words(begin, begin + static_cast<std::ptrdiff_t>(order))];
  }
  return counts;
}

} // namespace

BleuCounts& BleuCounts::operator+=(const BleuCounts& other) {
  for (int n = 0; n < kOrders; ++n) {
    matches[n] += other.matches[n];
    candidates[n] += other.candidates[n];
  }
  candidate_words += other.candidate_words;
  reference_words += other.reference_words;
  return *this;
}

double BleuCounts::score() const {
  double logs = 0;
  for (int n = 0; n < kOrders; ++n) {
    if (matches[n] == 0) return 0;
    logs += std::log(
        static_cast<double>(matches[n]) / static_cast<double>(candidates[n]));
  }
  const double ratio = static_cast<double>(reference_words) /
                       static_cast<double>(candidate_words);
  return 100 * std::exp(logs / kOrders + std::min(0.0, 1 - ratio));
}

BleuCounts count_bleu(std::string_view candidate, std::string_view reference) {
  const Words ours = words_of(candidate);
  const Words theirs = words_of(reference);
  BleuCounts counts;
  counts.candidate_words = static_cast<int64_t>(ours.size());
  counts.reference_words = static_cast<int64_t>(theirs.size());
  for (int n = 0; n < BleuCounts::kOrders; ++n) {
    const auto allowed = count_ngrams(theirs, n + 1);
    for (const auto& [ngram, count] : count_ngrams(ours, n + 1)) {
      counts.candidates[n] += count;
      const auto found = allowed.find(ngram);
      if (found != allowed.end()) {
        counts.matches[n] += std::min(count, found->second);
      }
    }
  }
  return counts;
}

} // namespace grapevine::data
