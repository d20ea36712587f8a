// The fused Adam pass against tensor/kernels/adam.h's formula, one element at a
// time, rounded as it says.
#include "tensor/kernels/adam.h"
#include "base/random.h"
#include "tensor/kernels/elementwise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace grapevine::tensor {
namespace {

struct Planes {
  std::vector<float> x, g, m, v, b;

  AdamPlanes view() {
    return {x.data(), x.data(), g.data(), m.data(), v.data(), b.data()};
  }
};

std::vector<float> noise(int64_t count, uint64_t stream) {
  Random random(12, Purpose::kTest, stream);
  std::vector<float> values(count);
  for (float& value : values)
    value = static_cast<float>(random.normal());
  return values;
}

Planes noisy_planes(int64_t count) {
  Planes planes{
      noise(count, 1),
      noise(count, 2),
      noise(count, 3),
      noise(count, 4),
      noise(count, 5)};
  for (float& value : planes.v)
    value *= value;
  return planes;
}

void slow_step(Planes& p, int64_t i, const AdamStep& o, float mixed) {
  float g = p.g[i] * o.gradient_scale;
  if (o.l2 != 0) g = std::fma(p.x[i], o.l2, g);
  const auto first = [&](float towards) {
    return std::fma(towards, o.rest1, p.m[i] * o.beta1);
  };
  const auto second = [&](float towards) {
    return std::fma(o.rest2 * towards, towards, p.v[i] * o.beta2);
  };
  const float kept = mixed * o.keep;
  const float scale = std::sqrt(second(g)) / o.root_correction + o.eps;
  p.x[i] = kept + -o.step_size * first(g) / scale;
  const float mean = o.window == AdamWindow::kFirst
                         ? g * o.share
                         : std::fma(g, o.share, p.b[i]);
  switch (o.window) {
    case AdamWindow::kAlone:
      p.v[i] = second(g);
      p.m[i] = first(g);
      break;
    case AdamWindow::kFirst:
    case AdamWindow::kInside:
      p.b[i] = mean;
      break;
    case AdamWindow::kLast:
      p.v[i] = second(mean);
      p.m[i] = first(mean);
      break;
  }
}

struct Case {
  AdamWindow window;
  float l2;
  float keep;
  int mix_terms;
};

class AdamKernel : public ::testing::TestWithParam<Case> {};

// A step in place, and one whose result goes elsewhere.
TEST_P(AdamKernel, EqualsTheFormulaBitForBit) {
  const Case c = GetParam();
  const AdamStep step{
      .window = c.window,
      .gradient_scale = 0.7F,
      .l2 = c.l2,
      .keep = c.keep,
      .beta1 = 0.9F,
      .rest1 = 0.1F,
      .beta2 = 0.99F,
      .rest2 = 0.01F,
      .step_size = 0.03F,
      .root_correction = 0.4F,
      .eps = 1e-6F,
      .share = 0.25F};
  const auto check = [&](int64_t count, bool in_place) {
    const int64_t begin = 3;
    Planes fast = noisy_planes(count);
    Planes slow = fast;
    const std::vector<float> inbox = noise(count, 6);
    std::vector<const float*> terms;
    if (c.mix_terms > 0) terms = {inbox.data(), fast.x.data()};
    const MixTerms mix{.terms = terms, .scale = 0.5F};
    const std::vector<float> old = fast.x;
    std::vector<float> apart = old;
    AdamPlanes planes = fast.view();
    if (!in_place) planes.result = apart.data();
    const double squares = adam_update(planes, begin, count, step, mix, true);
    if (!in_place) {
      EXPECT_EQ(fast.x, old);
      fast.x = apart;
    }
    for (int64_t i = begin; i < count; ++i) {
      const float mixed =
          c.mix_terms > 0 ? (inbox[i] + slow.x[i]) * 0.5F : slow.x[i];
      slow_step(slow, i, step, mixed);
    }
    EXPECT_EQ(fast.x, slow.x);
    EXPECT_EQ(fast.m, slow.m);
    EXPECT_EQ(fast.v, slow.v);
    EXPECT_EQ(fast.b, slow.b);
    const float* recorded = c.mix_terms > 0 ? old.data() : fast.x.data();
    EXPECT_EQ(squares, sum_of_squares(recorded + begin, count - begin));
  };
  for (const int64_t count : {4, 131, 1000}) {
    check(count, true);
    check(count, false);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Options,
    AdamKernel,
    ::testing::Values(
        Case{AdamWindow::kAlone, 0, 1, 0},
        Case{AdamWindow::kAlone, 0.01F, 1, 2},
        Case{AdamWindow::kAlone, 0, 0.99F, 2},
        Case{AdamWindow::kFirst, 0, 0.99F, 0},
        Case{AdamWindow::kFirst, 0.01F, 1, 2},
        Case{AdamWindow::kInside, 0, 0.99F, 2},
        Case{AdamWindow::kInside, 0.01F, 1, 0},
        Case{AdamWindow::kLast, 0, 0.99F, 2},
        Case{AdamWindow::kLast, 0.01F, 1, 0}));

} // namespace
} // namespace grapevine::tensor
