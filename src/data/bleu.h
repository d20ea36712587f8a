// BLEU of a corpus with one reference a sentence (Papineni et al. 2002):
//
//   BLEU = 100 B exp(1/4 sum over n = 1…4 of log p_n)
//   p_n  = sum over sentences of clipped matches of n-grams
//          / sum over sentences of the candidate's n-grams
//   B    = exp(1 - r / c) where c < r, else 1
//
// with c and r the lengths of all candidates and of all references. A match
// is clipped: an n-gram counts at most as often as the reference has it. No
// smoothing: where some p_n is 0, BLEU is 0. Words are what stands between
// blanks, so the text should be tokenised as the reference is.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace grapevine::data {

// Of one sentence or, added up, of many: the order does not matter.
struct BleuCounts {
  static constexpr int kOrders = 4;
  std::array<int64_t, kOrders> matches{};
  std::array<int64_t, kOrders> candidates{}; // n-grams of the candidates
  int64_t candidate_words = 0;
  int64_t reference_words = 0;

  BleuCounts& operator+=(const BleuCounts& other);
  // 0 to 100.
  double score() const;
};

BleuCounts count_bleu(std::string_view candidate, std::string_view reference);

} // namespace grapevine::data
