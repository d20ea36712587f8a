// Rates of transfers that share ways, against hand computation and against the
// definition of max-min fairness.
#include "sim/transfers.h"

#include "base/random.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>

namespace grapevine::sim {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Alone until 0.5, then half of the line each until 1.5, then alone again.
TEST(Transfers, ShareALine) {
  Transfers transfers({10});
  EXPECT_EQ(transfers.next_end(), kInfinity);
  transfers.begin(1, 10, {0}, 0);
  EXPECT_DOUBLE_EQ(transfers.next_end(), 1);
  transfers.begin(2, 10, {0}, 0.5);
  EXPECT_DOUBLE_EQ(transfers.next_end(), 1.5);
  EXPECT_EQ(transfers.end_next(), 1);
  EXPECT_DOUBLE_EQ(transfers.next_end(), 2);
  EXPECT_EQ(transfers.end_next(), 2);
  EXPECT_TRUE(transfers.is_empty());
}

// Flow 0 passes both ways, 1 the narrow one, 2 the wide one: the narrow one
// gives 0 and 1 three each, and the wide one what it has left, seven, to 2.
TEST(Transfers, WhatOneCannotUseIsForTheOthers) {
  Transfers transfers({6, 10});
  transfers.begin(0, 30, {0, 1}, 0);
  transfers.begin(1, 60, {0}, 0);
  transfers.begin(2, 70, {1}, 0);
  EXPECT_DOUBLE_EQ(transfers.next_end(), 10);
  EXPECT_EQ(transfers.end_next(), 0);
  // Then each has its way to itself: 30 left at 6; 2 is done at 10, too.
  EXPECT_DOUBLE_EQ(transfers.next_end(), 10);
  EXPECT_EQ(transfers.end_next(), 2);
  EXPECT_DOUBLE_EQ(transfers.next_end(), 15);
}

TEST(Transfers, PassAWayTwiceOrNone) {
  Transfers transfers({10, kInfinity});
  transfers.begin(0, 10, {0, 0}, 0); // there and back over one bus
  EXPECT_DOUBLE_EQ(transfers.next_end(), 2);
  transfers.begin(1, 1e9, {1}, 1);
  transfers.begin(2, 5, {}, 1);
  EXPECT_DOUBLE_EQ(transfers.next_end(), 1);
  transfers.end_next();
  transfers.end_next();
  EXPECT_DOUBLE_EQ(transfers.next_end(), 2);
}

// All bytes arrive, no earlier than the lines allow; through its state it goes
// on to the same bits.
TEST(Transfers, CarryWhatTheLinesCarry) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed, Purpose::kTest);
    const int ways = 2 + static_cast<int>(random.below(5));
    std::vector<double> rates;
    for (int i = 0; i < ways; ++i)
      rates.push_back(1 + 9 * random.uniform());
    Transfers transfers(rates);
    double now = 0;
    std::vector<double> carried(ways);
    for (int name = 0; name < 30; ++name) {
      now += random.uniform();
      while (transfers.next_end() <= now)
        transfers.end_next();
      std::vector<int> passed;
      for (int i = 0; i < ways; ++i) {
        if (random.below(2) == 0) passed.push_back(i);
      }
      if (passed.empty()) passed = {0};
      const double bytes = 5 * random.uniform();
      for (const int way : passed)
        carried[way] += bytes;
      transfers.begin(name, bytes, passed, now);
      Transfers again(rates);
      again.restore(nlohmann::json::parse(transfers.state().dump()));
      EXPECT_EQ(again.next_end(), transfers.next_end());
      transfers = std::move(again);
    }
    double last = 0;
    while (!transfers.is_empty()) {
      ASSERT_GE(transfers.next_end(), last);
      last = transfers.next_end();
      transfers.end_next();
    }
    for (int i = 0; i < ways; ++i)
      EXPECT_LE(carried[i] / rates[i], last * (1 + 1e-9));
    EXPECT_TRUE(std::isfinite(last));
  }
}

} // namespace
} // namespace grapevine::sim
