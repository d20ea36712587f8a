// The fused kernels against a slow, straightforward form of the same formula.
#include "base/random.h"
#include "tensor/kernels/elementwise.h"
#include "tensor/kernels/mix_terms.h"
#include "tensor/kernels/sgd.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace grapevine::tensor {
namespace {

std::vector<float> noise(int64_t count, uint64_t stream) {
  Random random(11, Purpose::kTest, stream);
  std::vector<float> values(count);
  for (float& value : values)
    value = static_cast<float>(random.normal());
  return values;
}

struct Terms {
  std::vector<std::vector<float>> planes;
  std::vector<const float*> bases;
  std::vector<float> weights;

  Terms(int terms, int64_t count) {
    for (int t = 0; t < terms; ++t) {
      planes.push_back(noise(count, t));
      weights.push_back(1.0F / static_cast<float>(t + 3));
    }
    for (const auto& plane : planes)
      bases.push_back(plane.data());
  }

  // From left to right, one element at a time.
  float scaled(int64_t e, float scale) const {
    float sum = planes[0][e];
    for (size_t t = 1; t < planes.size(); ++t)
      sum += planes[t][e];
    return sum * scale;
  }
  float weighted(int64_t e) const {
    float sum = weights[0] * planes[0][e];
    for (size_t t = 1; t < planes.size(); ++t)
      sum += weights[t] * planes[t][e];
    return sum;
  }
};

TEST(MixTerms, SumsFromLeftToRightForAnyNumberOfTerms) {
  for (int terms = 1; terms <= 12; ++terms) {
    for (const int64_t count : {0, 1, 7, 63, 65, 511, 512, 1300}) {
      const Terms of(terms, count + 5);
      std::vector<float> sum(count);
      std::vector<float> weighted(count);
      mixed_value(sum.data(), {.terms = of.bases, .scale = 0.3F}, 5, count);
      mixed_value(
          weighted.data(),
          {.terms = of.bases, .weights = of.weights},
          5,
          count);
      for (int64_t i = 0; i < count; ++i) {
        ASSERT_EQ(sum[i], of.scaled(i + 5, 0.3F));
        ASSERT_EQ(weighted[i], of.weighted(i + 5));
      }
    }
  }
}

TEST(MixTerms, OverAnyOfTheirOwnTerms) {
  for (int terms = 1; terms <= 12; ++terms) {
    for (const int64_t count : {1, 511, 1300}) {
      for (int over = 0; over < terms; ++over) {
        for (const bool weights : {false, true}) {
          Terms of(terms, count);
          const Terms before = of;
          float* in_place = of.planes[over].data();
          of.bases[over] = in_place;
          MixTerms mix{.terms = of.bases, .scale = 0.3F};
          if (weights) mix.weights = of.weights;
          mixed_value(in_place, mix, 0, count);
          for (int64_t i = 0; i < count; ++i) {
            ASSERT_EQ(
                in_place[i],
                weights ? before.weighted(i) : before.scaled(i, 0.3F));
          }
        }
      }
    }
  }
}

TEST(SumOfSquares, ExactOnIntegersAndCloseOnNoise) {
  std::vector<float> ramp(1000);
  for (int i = 0; i < 1000; ++i)
    ramp[i] = static_cast<float>(i);
  EXPECT_EQ(sum_of_squares(ramp.data(), 1000), 332833500.0);
  EXPECT_EQ(sum(ramp.data(), 1000), 499500.0);
  const std::vector<float> values = noise(4097, 1);
  double slow = 0;
  for (const float v : values)
    slow += static_cast<double>(v) * v;
  EXPECT_NEAR(sum_of_squares(values.data(), 4097), slow, 1e-9 * slow);
}

struct SgdCase {
  float momentum;
  bool nesterov;
  float weight_decay;
  float gradient_scale;
  int mix_terms;
};

class SgdKernel : public ::testing::TestWithParam<SgdCase> {};

// As the header of tensor/kernels/sgd.h has it, one element at a time.
void slow_step(
    const SgdCase& c,
    bool first,
    float lr,
    float mixed,
    float g,
    float& x,
    float& m) {
  float d = g * c.gradient_scale;
  if (c.weight_decay != 0) d = std::fma(x, c.weight_decay, d);
  if (c.momentum != 0) {
    m = first ? d : m * c.momentum + d;
    d = c.nesterov ? std::fma(m, c.momentum, d) : m;
  }
  x = std::fma(d, -lr, mixed);
}

TEST_P(SgdKernel, EqualsTheFormulaBitForBit) {
  const SgdCase c = GetParam();
  const int64_t count = 5000;
  std::vector<float> apart = noise(count, 1);
  const int64_t begin = 3;
  std::vector<float> x = noise(count, 1);
  std::vector<float> m(count);
  std::vector<float> slow_x = x;
  std::vector<float> slow_m = m;
  const std::vector<float> inbox = noise(count, 2);
  for (int step = 0; step < 3; ++step) {
    const std::vector<float> g = noise(count, 10 + step);
    std::vector<const float*> terms;
    if (c.mix_terms > 0) terms = {x.data()};
    for (int t = 1; t < c.mix_terms; ++t)
      terms.push_back(inbox.data());
    const float scale =
        c.mix_terms > 0 ? 1.0F / static_cast<float>(c.mix_terms) : 1.0F;
    const std::vector<float> old_x = x;
    const bool in_place = step != 1;
    const double squares = sgd_update(
        {.x = x.data(),
         .result = in_place ? x.data() : apart.data(),
         .g = g.data(),
         .m = m.data()},
        begin,
        count,
        {.lr = 0.1F,
         .momentum = c.momentum,
         .weight_decay = c.weight_decay,
         .gradient_scale = c.gradient_scale,
         .nesterov = c.nesterov,
         .first_step = step == 0},
        {.terms = terms, .scale = scale},
        true);
    if (!in_place) {
      ASSERT_EQ(x, old_x);
      std::copy(apart.begin() + begin, apart.end(), x.begin() + begin);
    }
    double slow_squares = 0;
    for (int64_t i = begin; i < count; ++i) {
      float mixed = slow_x[i];
      for (int t = 1; t < c.mix_terms; ++t)
        mixed += inbox[i];
      if (c.mix_terms > 0) mixed *= scale;
      const float old = slow_x[i];
      slow_step(c, step == 0, 0.1F, mixed, g[i], slow_x[i], slow_m[i]);
      const double recorded = c.mix_terms > 0 ? old : slow_x[i];
      slow_squares += recorded * recorded;
    }
    ASSERT_EQ(x, slow_x);
    ASSERT_EQ(m, slow_m);
    EXPECT_NEAR(squares, slow_squares, 1e-9 * slow_squares);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Options,
    SgdKernel,
    ::testing::Values(
        SgdCase{0, false, 0, 1, 0},
        SgdCase{0, false, 5e-4F, 1, 0},
        SgdCase{0.9F, false, 0, 1, 0},
        SgdCase{0.9F, false, 5e-4F, 0.25F, 0},
        SgdCase{0.9F, true, 0, 1, 0},
        SgdCase{0.9F, true, 5e-4F, 1, 0},
        SgdCase{0.9F, false, 0, 1, 2},
        SgdCase{0.9F, true, 5e-4F, 0.5F, 3},
        SgdCase{0, false, 0, 1, 5}));

} // namespace
} // namespace grapevine::tensor
