// Who is left when not all can be connected with each other.
#include "member/attempts.h"

#include <gtest/gtest.h>

namespace grapevine::member {
namespace {

using namespace net;

using Ranks = std::vector<int>;

TEST(Reach, AllAreLeftWhereAllReachEachOther) {
  const Reach all = {{0, {1, 2}}, {1, {0, 2}}, {2, {0, 1}}};
  EXPECT_EQ(who_reach_each_other({0, 1, 2}, all), (Ranks{0, 1, 2}));
  EXPECT_EQ(who_reach_each_other({}, all), Ranks{});
}

TEST(Reach, WhoIsCutOffIsLeftOut) {
  const Reach without_0 = {{0, {}}, {1, {2, 3}}, {2, {1, 3}}, {3, {1, 2}}};
  EXPECT_EQ(who_reach_each_other({0, 1, 2, 3}, without_0), (Ranks{1, 2, 3}));
  // One word is enough, whoever says it.
  const Reach half = {{0, {1, 2}}, {1, {0}}, {2, {0, 1}}};
  EXPECT_EQ(who_reach_each_other({0, 1, 2}, half), (Ranks{0, 1}));
}

TEST(Reach, OfHalvesTheFirstIsLeft) {
  const Reach halves = {{0, {2}}, {1, {3}}, {2, {0}}, {3, {1}}};
  EXPECT_EQ(who_reach_each_other({0, 1, 2, 3}, halves), (Ranks{0, 2}));
  EXPECT_EQ(who_reach_each_other({4, 9}, {{4, {}}, {9, {}}}), Ranks{4});
}

TEST(Reach, WhoHasNotTriedMayBeReached) {
  const Reach some = {{0, {1}}, {1, {0}}, {2, {}}};
  EXPECT_EQ(who_reach_each_other({0, 1, 2}, some), (Ranks{0, 1}));
  EXPECT_EQ(who_reach_each_other({0, 1, 3}, some), (Ranks{0, 1, 3}));
}

} // namespace
} // namespace grapevine::member
