#include "data/bleu.h"

#include <gtest/gtest.h>

#include <cmath>

namespace grapevine::data {
namespace {

double bleu(std::string_view candidate, std::string_view reference) {
  return count_bleu(candidate, reference).score();
}

TEST(Bleu, OfTheReferenceItselfIs100) {
  EXPECT_DOUBLE_EQ(bleu("the cat is on the mat", "the cat is on the mat"), 100);
  EXPECT_DOUBLE_EQ(bleu(" a  b\tc d\n", "a b c d"), 100);
}

// 1-grams 5/6, 2-grams 3/5, 3-grams 1/4, 4-grams 0/3.
TEST(Bleu, WithoutSmoothingOneMissingOrderIsZero) {
  const auto counts =
      count_bleu("the cat sat on the mat", "the cat is on the mat");
  EXPECT_EQ(counts.matches, (std::array<int64_t, 4>{5, 3, 1, 0}));
  EXPECT_EQ(counts.candidates, (std::array<int64_t, 4>{6, 5, 4, 3}));
  EXPECT_EQ(counts.score(), 0);
}

// "the" seven times against two in the reference: 2/7, the paper's example.
TEST(Bleu, MatchesAreClipped) {
  const auto counts =
      count_bleu("the the the the the the the", "the cat is on the mat");
  EXPECT_EQ(counts.matches[0], 2);
  EXPECT_EQ(counts.candidates[0], 7);
  EXPECT_EQ(counts.matches[1], 0);
}

// 5 of 5, 4 of 4, 3 of 3, 2 of 2 n-grams match, but 5 words stand for 8:
// exp(1 - 8/5).
TEST(Bleu, ShortCandidatesPay) {
  EXPECT_NEAR(bleu("a b c d e", "a b c d e f g h"), 100 * std::exp(-0.6), 1e-9);
  // Long ones do not, beyond their precision: 4/5, 3/4, 2/3, 1/2.
  EXPECT_NEAR(bleu("a b c d x", "a b c d"), 100 * std::pow(0.2, 0.25), 1e-9);
}

// Two sentences: 1-grams 4 + 5 of 4 + 6, 2-grams 3 + 3 of 3 + 5,
// 3-grams 2 + 1 of 2 + 4, 4-grams 1 + 0 of 1 + 3; lengths 10 and 11.
TEST(Bleu, IsOfTheCorpusNotTheMeanOfSentences) {
  BleuCounts counts = count_bleu("a b c d", "a b c d e");
  counts += count_bleu("the cat sat on the mat", "the cat is on the mat");
  const double product = (9.0 / 10) * (6.0 / 8) * (3.0 / 6) * (1.0 / 4);
  EXPECT_NEAR(
      counts.score(),
      100 * std::pow(product, 0.25) * std::exp(1 - 11.0 / 10),
      1e-9);
}

TEST(Bleu, OfNothingIsZero) {
  EXPECT_EQ(bleu("", ""), 0);
  EXPECT_EQ(bleu("", "a b c d"), 0);
  EXPECT_EQ(bleu("a b c d", ""), 0);
  EXPECT_EQ(BleuCounts{}.score(), 0);
}

} // namespace
} // namespace grapevine::data
