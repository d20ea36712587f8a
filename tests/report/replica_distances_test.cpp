#include "report/replica_distances.h"

#include <gtest/gtest.h>

#include <cmath>

namespace grapevine::report {
namespace {

TEST(ReplicaDistances, OfSketchesAtOneMoment) {
  ReplicaDistances distances(3, 10);
  distances.add(0, 20, {1, 0});
  distances.add(1, 20, {-1, 3});
  distances.add(2, 20, {0, 0});
  const auto points = distances.points();
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(points[0].round, 20);
  // The mean is (0, 1).
  EXPECT_DOUBLE_EQ(points[0].distance, (2 + 5 + 1) / 3.0);
}

// Both move along the same line, a distance of 2 apart, and are asked at
// moments of their own.
TEST(ReplicaDistances, MomentsOfTheirOwnDoNotCount) {
  ReplicaDistances distances(2, 10);
  const auto at = [](double rounds, double offset) {
    return std::vector<double>{3 * rounds, offset};
  };
  for (int i = 0; i < 5; ++i) {
    const double early = 10 * i + 0.25;
    const double late = 10 * i + 3.5;
    distances.add(0, early, at(early, 1));
    distances.add(1, late, at(late, -1));
  }
  const auto points = distances.points();
  ASSERT_EQ(points.size(), 5u);
  // The first and the last have nothing to one side.
  for (const size_t i : {1, 2, 3}) {
    EXPECT_EQ(points[i].round, static_cast<int64_t>(10 * i + 1));
    EXPECT_NEAR(points[i].distance, 1, 1e-12);
  }
}

// Nothing moves any more, whatever each has known of the others' rounds.
TEST(ReplicaDistances, TheEndIsAPointOfItsOwn) {
  ReplicaDistances distances(2, 10);
  distances.add(0, 0, {0});
  distances.add(1, 0, {0});
  distances.add_last(0, 9.75, {1});
  distances.add_last(1, 10.25, {-1});
  const auto points = distances.points();
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].distance, 0);
  EXPECT_EQ(points[1].round, 10);
  EXPECT_EQ(points[1].distance, 1);
}

TEST(ReplicaDistances, WhoIsAwayIsLeftOut) {
  ReplicaDistances distances(4, 1);
  for (int worker = 0; worker < 4; ++worker)
    distances.add(worker, 0, {double(worker)});
  distances.add(0, 1, {1});
  distances.add(1, 1, {3}); // half of them
  distances.add(0, 2, {1}); // too few
  const auto points = distances.points();
  ASSERT_EQ(points.size(), 2u);
  EXPECT_DOUBLE_EQ(points[0].distance, 1.25);
  EXPECT_DOUBLE_EQ(points[1].distance, 1);
}

TEST(ReplicaDistances, WhatIsNoneIsLeftOut) {
  ReplicaDistances distances(2, 1);
  distances.add(0, 0, {1, 2});
  distances.add(1, 0, {1});
  distances.add(1, 0, {1, std::nan("")});
  distances.add(1, -1, {1, 2});
  distances.add(1, std::nan(""), {1, 2});
  distances.add(2, 0, {1, 2});
  distances.add(-1, 0, {1, 2});
  distances.add(1, 0, {});
  distances.add_last(1, 0, {1});
  EXPECT_TRUE(distances.points().empty());
}

TEST(ReplicaDistances, LongRunsKeepEveryOther) {
  ReplicaDistances distances(2, 1);
  constexpr int kRounds = 100'000;
  for (int round = 0; round < kRounds; ++round) {
    distances.add(0, round, {0});
    distances.add(1, round, {2});
  }
  const auto points = distances.points();
  EXPECT_EQ(points.size(), 25'000u);
  EXPECT_EQ(points[1].round, 4);
  for (const auto& point : points)
    EXPECT_DOUBLE_EQ(point.distance, 1);
}

} // namespace
} // namespace grapevine::report
