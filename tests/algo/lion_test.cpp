#include "algo/lion.h"
#include "algo/support.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace grapevine::algo {
namespace {

double sign(double value) {
  return value > 0 ? 1 : value < 0 ? -1 : 0;
}

// The formula, in double and one element at a time; with mixing, the second
// line moves the mixed value.
TEST(Lion, FollowsTheFormula) {
  for (const bool mixes : {false, true}) {
    const RuleOptions o{.beta1 = 0.8, .beta2 = 0.95, .weight_decay = 0.1};
    const Lion rule(o);
    tensor::Arena arena = make_arena(kShapes, rule);
    const tensor::Layout& layout = arena.layout();
    fill(layout, arena.parameters(), 1);
    std::vector<float> other(layout.size());
    fill(layout, other, 2);
    const std::vector<const float*> terms = {
        arena.parameters().data(),
        other.data()};
    std::vector<double> x(arena.parameters().begin(), arena.parameters().end());
    std::vector<double> m(layout.size());
    for (int64_t step = 0; step < 8; ++step) {
      fill(layout, arena.gradients(), 10 + step);
      const double lr = 0.01 * static_cast<double>(step + 1);
      const double scale = 0.5;
      rule.update(
          arena,
          {0, layout.size()},
          {.step = step, .lr = lr, .gradient_scale = scale},
          mixes ? tensor::MixTerms{.terms = terms, .scale = 0.5F}
                : tensor::MixTerms{},
          {});
      for (const auto& tensor : layout.tensors()) {
        const double decay = tensor.is_matrix ? o.weight_decay : 0;
        for (int64_t i = tensor.offset; i < tensor.range().end; ++i) {
          const double g = scale * arena.gradients()[i];
          const double mixed = mixes ? (x[i] + other[i]) / 2 : x[i];
          const double u = sign(o.beta1 * m[i] + (1 - o.beta1) * g);
          x[i] = (1 - lr * decay) * mixed - lr * u;
          m[i] = o.beta2 * m[i] + (1 - o.beta2) * g;
          ASSERT_NEAR(arena.parameters()[i], x[i], 1e-5) << step << " " << i;
          ASSERT_NEAR(arena.state(0)[i], m[i], 1e-5) << step << " " << i;
        }
      }
    }
  }
}

TEST(Lion, AGradientOfZeroMovesNothing) {
  const Lion rule({});
  tensor::Arena arena = make_arena({{3}}, rule);
  fill(arena.layout(), arena.parameters(), 1);
  const std::vector<float> before(
      arena.parameters().begin(),
      arena.parameters().end());
  rule.update(arena, {0, arena.layout().size()}, {.lr = 1}, {}, {});
  EXPECT_TRUE(std::ranges::equal(arena.parameters(), before));
}

} // namespace
} // namespace grapevine::algo
