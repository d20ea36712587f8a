#include "sim/recommend.h"

#include "sim/predict_support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace grapevine::sim {
namespace {

TEST(Sweep, RatesAndAnswers) {
  const Question question = small_question("1gbit,0");
  EXPECT_NEAR(link_rate(question, 8), 125e6, 1);
  const auto rates = rates_around(125e6, 3);
  EXPECT_NEAR(rates[0], 125e4, 1);
  EXPECT_NEAR(rates[1], 125e6, 1);
  EXPECT_NEAR(rates[2], 125e8, 1);
  Sweeper sweeper(question, 8);
  const Sweep sweep = sweeper.sweep(rates);
  for (const auto& seconds : sweep.seconds) {
    EXPECT_TRUE(std::isfinite(seconds[0]));
    EXPECT_GE(seconds[0], seconds[1] * (1 - 1e-9));
    EXPECT_GE(seconds[1], seconds[2] * (1 - 1e-9));
    EXPECT_NEAR(seconds[2], 0.19, 0.01);
  }
  // With bandwidth to spare, nothing is faster than All-Reduce.
  EXPECT_TRUE(sweeper.candidate(sweeper.answer(125e9)).is_all_reduce());
  EXPECT_FALSE(sweeper.candidate(sweeper.answer(125e6)).is_all_reduce());
}

TEST(Sweep, TiesGoToThoseWhoAgreeSoonest) {
  EXPECT_EQ(choose({1.0, 1.01, 1.02, 1.2}, {9, 3, 5, 0}), 1);
  EXPECT_EQ(choose({1.0, 1.02}, {9, 0}), 1);
  EXPECT_EQ(choose({1.0, 0.99}, {2, 2}), 1);
}

TEST(Recommend, SaysWhatAndWhenAndWhatWouldChangeIt) {
  const Question question = small_question("1gbit,0");
  const Forecast forecast = predict(question, {8});
  const Recommendation answer = recommend(question, forecast, 8);
  EXPECT_EQ(answer.use.candidate.graph.name, "aer");
  EXPECT_EQ(answer.use.candidate.algorithm, kOverlapped);
  ASSERT_GE(answer.regimes.size(), 2u);
  EXPECT_TRUE(answer.regimes.back().candidate.is_all_reduce());
  for (size_t r = 1; r < answer.regimes.size(); ++r)
    EXPECT_EQ(answer.regimes[r].from, answer.regimes[r - 1].to);
  // At the ends the answer really changes.
  Sweeper sweeper(question, 8);
  for (size_t r = 1; r < answer.regimes.size(); ++r) {
    const double end = answer.regimes[r].from;
    const auto label = [&](double rate) {
      return sweeper.candidate(sweeper.answer(rate)).label();
    };
    EXPECT_EQ(label(end / 1.03), answer.regimes[r - 1].candidate.label());
    EXPECT_EQ(label(end * 1.001), answer.regimes[r].candidate.label());
  }
  ASSERT_FALSE(answer.sentences.empty());
  EXPECT_NE(answer.sentences[0].find("--graph aer"), std::string::npos);
}

TEST(Recommend, SaysWhatPackingWouldGive) {
  const auto says_packing = [](const char* link, bool packing) {
    Question question = small_question(link);
    question.packing = packing;
    const Forecast forecast = predict(question, {8});
    const auto sentences = recommend(question, forecast, 8).sentences;
    return std::ranges::any_of(sentences, [](const std::string& sentence) {
      return sentence.find("--packing") != std::string::npos;
    });
  };
  EXPECT_TRUE(says_packing("200mbit,0", false));
  EXPECT_FALSE(says_packing("200mbit,0", true));
  // Hidden behind computing.
  EXPECT_FALSE(says_packing("100gbit,0", false));
}

TEST(Recommend, TextsOfRatesAndTimes) {
  EXPECT_EQ(rate_text(125e6), "1 Gbit/s");
  EXPECT_EQ(rate_text(sim::kUnlimited), "unlimited");
  EXPECT_EQ(time_text(0.0617), "61.7 ms");
  EXPECT_EQ(time_text(0), "0 ms");
  EXPECT_EQ(time_text(-5.5e-17), "0 ms");
  EXPECT_EQ(time_text(-0.0617), "-61.7 ms");
  EXPECT_EQ(time_text(2e-5), "20 us");
}

} // namespace
} // namespace grapevine::sim
