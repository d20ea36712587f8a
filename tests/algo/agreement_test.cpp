#include "algo/agreement.h"

#include <gtest/gtest.h>

namespace grapevine::algo {
namespace {

TEST(MixingStrength, FollowsTheLearningRate) {
  EXPECT_EQ(mixing_strength({}, 0.01), 1);
  EXPECT_EQ(mixing_strength({.mixing_floor = 0.5}, 0.01), 1);
  EXPECT_DOUBLE_EQ(mixing_strength({.mixing_power = 3}, 0.5), 0.125);
  EXPECT_DOUBLE_EQ(
      mixing_strength({.mixing_power = 1, .mixing_floor = 0.2}, 0.5),
      0.6);
  EXPECT_EQ(mixing_strength({.mixing_power = 3}, 1), 1);
  EXPECT_EQ(mixing_strength({.mixing_power = 3}, 0), 0);
}

TEST(MixingStrength, IsForAgreementsThatAverageParameters) {
  for (const Agreement& agreement : agreement_table()) {
    if (!takes(agreement, "mixing-power")) continue;
    EXPECT_FALSE(agreement.is_asynchronous());
    EXPECT_EQ(agreement.exchanged(), Plane::kParameters);
    EXPECT_EQ(agreement.planes_sent(), 1);
    EXPECT_EQ(agreement.graph, Agreement::Graph::kDoublyStochastic);
  }
}

} // namespace
} // namespace grapevine::algo
