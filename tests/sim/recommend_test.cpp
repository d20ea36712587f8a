#include "sim/recommend.h"

#include "sim/support.h"

#include <gtest/gtest.h>

#include <cmath>

namespace grapevine::sim {
namespace {

const Prediction& answer(Planner& planner, double rate) {
  const int best = choose(planner.seconds_at(rate), planner.candidates());
  return planner.candidates()[best];
}

TEST(Search, RatesAndAnswers) {
  const Query query = small_query("1gbit,0");
  EXPECT_NEAR(link_rate(query, 8), 125e6, 1);
  const auto rates = rates_around(125e6, 3);
  EXPECT_NEAR(rates[0], 125e4, 1);
  EXPECT_NEAR(rates[1], 125e6, 1);
  EXPECT_NEAR(rates[2], 125e8, 1);
  Planner planner = search_planner(query, 8);
  for (size_t i = 0; i < planner.candidates().size(); ++i) {
    const double slow = planner.seconds_at(rates[0])[i];
    const double middle = planner.seconds_at(rates[1])[i];
    const double fast = planner.seconds_at(rates[2])[i];
    EXPECT_TRUE(std::isfinite(slow));
    EXPECT_GE(slow, middle * (1 - 1e-9));
    EXPECT_GE(middle, fast * (1 - 1e-9));
    EXPECT_NEAR(fast, 0.19, 0.01);
  }
  // With bandwidth to spare, nothing is faster than All-Reduce.
  EXPECT_TRUE(answer(planner, 125e9).is_all_reduce());
  EXPECT_FALSE(answer(planner, 125e6).is_all_reduce());
}

TEST(Search, TiesGoToThoseThatAgreeSoonest) {
  const auto chosen = [](const std::vector<double>& seconds,
                         const std::vector<double>& steps_to_agree) {
    std::vector<Prediction> candidates;
    for (const double steps : steps_to_agree)
      candidates.push_back({.steps_to_agree = steps});
    return choose(seconds, candidates);
  };
  EXPECT_EQ(chosen({1.0, 1.01, 1.02, 1.2}, {9, 3, 5, 0}), 1);
  EXPECT_EQ(chosen({1.0, 1.02}, {9, 0}), 1);
  EXPECT_EQ(chosen({1.0, 0.99}, {2, 2}), 1);
}

TEST(Recommend, SaysWhatAndWhenAndWhatWouldChangeIt) {
  const Query query = small_query("1gbit,0");
  const auto it = recommend(query, predict(query, {8}), 8);
  EXPECT_EQ(it.use.graph.name, "aer");
  EXPECT_EQ(it.use.algorithm, kOverlapped);
  ASSERT_GE(it.regimes.size(), 2u);
  EXPECT_TRUE(it.regimes.back().answer.is_all_reduce());
  // At the ends the answer really changes.
  Planner planner = search_planner(query, 8);
  for (size_t r = 1; r < it.regimes.size(); ++r) {
    const double end = it.regimes[r].from;
    EXPECT_EQ(end, it.regimes[r - 1].to);
    EXPECT_EQ(
        answer(planner, end / 1.03).label(),
        it.regimes[r - 1].answer.label());
    EXPECT_EQ(
        answer(planner, end * 1.001).label(),
        it.regimes[r].answer.label());
  }
  ASSERT_FALSE(it.sentences.empty());
  EXPECT_NE(it.sentences[0].find("--graph aer"), std::string::npos);
}

TEST(Recommend, SaysWhatPackingWouldGive) {
  const auto says_packing = [](const char* link, bool packing) {
    Query query = small_query(link);
    query.packing = packing;
    const auto it = recommend(query, predict(query, {8}), 8);
    return std::ranges::any_of(it.sentences, [](const std::string& sentence) {
      return sentence.find("--packing") != std::string::npos;
    });
  };
  EXPECT_TRUE(says_packing("200mbit,0", false));
  EXPECT_FALSE(says_packing("200mbit,0", true));
  EXPECT_FALSE(says_packing("100gbit,0", false)); // behind computing
}

TEST(Recommend, TextsOfRatesAndTimes) {
  EXPECT_EQ(rate_text(125e6), "1 Gbit/s");
  EXPECT_EQ(rate_text(kUnlimited), "unlimited");
  EXPECT_EQ(time_text(0.0617), "61.7 ms");
  EXPECT_EQ(time_text(0), "0 ms");
  EXPECT_EQ(time_text(-5.5e-17), "0 ms");
  EXPECT_EQ(time_text(-0.0617), "-61.7 ms");
  EXPECT_EQ(time_text(2e-5), "20 us");
}

} // namespace
} // namespace grapevine::sim
