#include "algo/ada_control.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace grapevine::algo {
namespace {

// What n workers with these norms would sum up.
SpreadSums sums_of(
    const AdaControl& control,
    const std::vector<double>& norms) {
  SpreadSums total;
  for (const double norm : norms) {
    const SpreadSums mine = control.contribution(norm);
    total.excess += mine.excess;
    total.squares += mine.squares;
  }
  return total;
}

// Two halves of the workers at mean (1 +- spread): that coefficient of
// variation exactly.
void observe(AdaControl& control, int n, double spread, double mean = 10) {
  std::vector<double> norms(n);
  for (int i = 0; i < n; ++i)
    norms[i] = mean * (1 + (i % 2 == 0 ? spread : -spread));
  control.observe(sums_of(control, norms));
}

TEST(AdaControl, MeasuresTheCoefficientOfVariation) {
  AdaControl control({.n = 4});
  control.observe(sums_of(control, {1, 2, 3, 4}));
  EXPECT_NEAR(control.spread(), 0.4472135954999579, 1e-15);
  // Around the mean that is known by now, small spreads do not cancel.
  const double d = 1e-9;
  control.observe(sums_of(control, {2.5, 2.5, 2.5, 2.5}));
  EXPECT_NEAR(control.spread(), 0, 1e-15);
  control.observe(sums_of(control, {2.5 - d, 2.5 + d, 2.5 - d, 2.5 + d}));
  EXPECT_NEAR(control.spread(), d / 2.5, 1e-6 * d);
}

TEST(AdaControl, StaysDenseWhileTheSpreadRises) {
  AdaControl control({.n = 64});
  for (int i = 1; i <= 20; ++i) {
    observe(control, 64, 1e-4 * i);
    EXPECT_EQ(control.k(), 63);
  }
}

TEST(AdaControl, ThinsOutAfterTwoCalmLooksAndDownToTheFloor) {
  AdaControl control({.n = 64, .k_min = 4, .level = 1});
  observe(control, 64, 1e-2);
  std::vector<int> ks;
  for (int i = 0; i < 12; ++i) {
    observe(control, 64, 1e-4);
    ks.push_back(control.k());
  }
  EXPECT_EQ(ks, (std::vector<int>{63, 30, 30, 14, 14, 6, 6, 4, 4, 4, 4, 4}));
}

TEST(AdaControl, ComesBackWhenTheReplicasDriftApart) {
  AdaControl control({.n = 64});
  observe(control, 64, 1e-2);
  for (int i = 0; i < 8; ++i)
    observe(control, 64, 1e-4);
  const int sparse = control.k();
  EXPECT_LE(sparse, 6);
  // The reference stays that of the dense graph.
  const double level = *control.threshold();
  for (int i = 0; i < 12; ++i)
    observe(control, 64, 5e-2);
  EXPECT_EQ(control.k(), 63);
  EXPECT_GE(*control.threshold(), level);
}

TEST(AdaControl, NothingChangesInsideTheHysteresis) {
  AdaControl control({.n = 64, .level = 0.5, .hysteresis = 0.2});
  observe(control, 64, 1e-2);
  for (int i = 0; i < 3; ++i)
    observe(control, 64, 1e-4);
  const int k = control.k();
  EXPECT_LT(k, 63);
  // Smoothed towards the level itself, 5e-3: after a few looks inside 0.8 to
  // 1.2 of it, and nothing moves any more.
  for (int i = 0; i < 6; ++i)
    observe(control, 64, 5e-3);
  const int settled = control.k();
  for (int i = 0; i < 50; ++i) {
    observe(control, 64, i % 2 == 0 ? 4.7e-3 : 5.3e-3);
    EXPECT_EQ(control.k(), settled);
  }
}

TEST(AdaControl, IsBlindToTheScaleOfTheModel) {
  AdaControl small({.n = 32});
  AdaControl large({.n = 32});
  for (int i = 0; i < 30; ++i) {
    const double spread = 1e-3 / (1 + i);
    observe(small, 32, spread, 1);
    observe(large, 32, spread, 4096);
    EXPECT_EQ(small.k(), large.k()) << i;
  }
  EXPECT_LT(small.k(), 31);
}

TEST(AdaControl, PassesOverWhatIsNotFinite) {
  AdaControl control({.n = 8});
  observe(control, 8, 1e-2);
  const AdaControl::State before = control.state();
  control.observe({std::nan(""), 1});
  control.observe({1, std::numeric_limits<double>::infinity()});
  EXPECT_EQ(control.state().k, before.k);
  EXPECT_EQ(control.state().mean, before.mean);
  EXPECT_EQ(control.state().smoothed, before.smoothed);
}

TEST(AdaControl, OneWorkerAndZeroParametersAreFine) {
  AdaControl one({.n = 1});
  AdaControl zero({.n = 8});
  for (int i = 0; i < 5; ++i) {
    one.observe(sums_of(one, {3.0 + i}));
    observe(zero, 8, 0, 0);
  }
  EXPECT_EQ(one.k(), 0);
  EXPECT_EQ(zero.k(), 7);
}

TEST(AdaControl, GoesOnFromItsState) {
  AdaControl whole({.n = 48});
  AdaControl second({.n = 48});
  for (int i = 0; i < 40; ++i) {
    if (i == 13) second.restore(whole.state());
    const double spread = 1e-2 * std::exp(-0.2 * i) * (i % 7 == 0 ? 9 : 1);
    observe(whole, 48, spread);
    if (i < 13) continue;
    observe(second, 48, spread);
    EXPECT_EQ(second.k(), whole.k());
    EXPECT_EQ(second.state().smoothed, whole.state().smoothed);
  }
}

} // namespace
} // namespace grapevine::algo
