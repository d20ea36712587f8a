// The Adam family against the formulas of algo/adam.h, in double
// and one element at a time.
#include "algo/support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace grapevine::algo {
namespace {

struct Case {
  bool decoupled;
  double weight_decay;
  bool decay_everything;
  int64_t window; // 0: Adam
  int terms;      // of the mixing; 0 = none
  bool weighted;
  double gradient_scale;
};

RuleOptions options_of(const Case& c) {
  return {
      .beta1 = 0.8,
      .beta2 = 0.95,
      .eps = 1e-3,
      .weight_decay = c.weight_decay,
      .decay_everything = c.decay_everything};
}

DecayForm form_of(const Case& c) {
  return c.decoupled ? DecayForm::kDecoupled : DecayForm::kL2;
}

// The whole state of one element in double.
struct Element {
  double x = 0;
  double m = 0;
  double v = 0;
  double b = 0;

  void step(
      const Case& c,
      double lr,
      int64_t t,
      double mixed,
      double g,
      bool decays) {
    const RuleOptions o = options_of(c);
    const int64_t s = std::max<int64_t>(1, c.window);
    const double k = std::ceil(static_cast<double>(t) / static_cast<double>(s));
    const double decay = decays ? o.weight_decay : 0;
    g *= c.gradient_scale;
    if (!c.decoupled) g += decay * x;
    const double m_t = o.beta1 * m + (1 - o.beta1) * g;
    const double v_t = o.beta2 * v + (1 - o.beta2) * g * g;
    const double u =
        m_t / (1 - std::pow(o.beta1, k)) /
        (std::sqrt(v_t) / std::sqrt(1 - std::pow(o.beta2, k)) + o.eps);
    x = (c.decoupled ? 1 - lr * decay : 1) * mixed - lr * u;
    b += g / static_cast<double>(s);
    if (t % s != 0) return;
    m = o.beta1 * m + (1 - o.beta1) * b;
    v = o.beta2 * v + (1 - o.beta2) * b * b;
    b = 0;
  }
};

// A mixing of the arena's x, the second term, with planes of noise.
struct Mixing {
  std::vector<std::vector<float>> planes;
  std::vector<const float*> terms;
  std::vector<float> weights;
  float scale = 1;

  Mixing(const Case& c, const tensor::Arena& arena) {
    for (int term = 0; term < c.terms; ++term) {
      planes.emplace_back(arena.layout().size());
      fill(arena.layout(), planes.back(), 100 + term);
      const bool own = term == std::min(1, c.terms - 1);
      terms.push_back(own ? arena.parameters().data() : planes.back().data());
      if (c.weighted) {
        weights.push_back(
            2.0F * static_cast<float>(term + 1) /
            static_cast<float>(c.terms * (c.terms + 1)));
      }
    }
    if (c.terms > 0) scale = 1.0F / static_cast<float>(c.terms);
  }

  tensor::MixTerms view() const {
    return {.terms = terms, .weights = weights, .scale = scale};
  }
  double value(int64_t i, double x, const float* own) const {
    if (terms.empty()) return x;
    double sum = 0;
    for (size_t t = 0; t < terms.size(); ++t) {
      sum += (terms[t] == own ? x : terms[t][i]) *
             (weights.empty() ? scale : weights[t]);
    }
    return sum;
  }
};

class AdamFamily : public ::testing::TestWithParam<Case> {};

TEST_P(AdamFamily, FollowsTheFormula) {
  const Case c = GetParam();
  const auto rule = make(options_of(c), c.window, form_of(c));
  tensor::Arena arena = make_arena(kShapes, *rule);
  const tensor::Layout& layout = arena.layout();
  fill(layout, arena.parameters(), 1);
  std::vector<Element> slow(layout.size());
  for (int64_t i = 0; i < layout.size(); ++i)
    slow[i].x = arena.parameters()[i];
  const Mixing mixing(c, arena);
  for (int64_t step = 0; step < 9; ++step) {
    fill(layout, arena.gradients(), 10 + step);
    const double lr = 0.01 * static_cast<double>(step + 1);
    rule->update(
        arena,
        {0, layout.size()},
        {.step = step, .lr = lr, .gradient_scale = c.gradient_scale},
        mixing.view(),
        {});
    for (const auto& tensor : layout.tensors()) {
      const bool decays = tensor.is_matrix || c.decay_everything;
      for (int64_t i = tensor.offset; i < tensor.range().end; ++i) {
        const double mixed =
            mixing.value(i, slow[i].x, arena.parameters().data());
        const double g = arena.gradients()[i];
        slow[i].step(c, lr, step + 1, mixed, g, decays);
        ASSERT_NEAR(arena.parameters()[i], slow[i].x, 2e-5)
            << "step " << step << ", element " << i;
      }
    }
  }
}

TEST_P(AdamFamily, AnyCutInAnyOrderGivesTheSameBitsAndSquares) {
  const Case c = GetParam();
  const auto rule = make(options_of(c), c.window, form_of(c));
  tensor::Arena whole = make_arena(kShapes, *rule);
  tensor::Arena cut = make_arena(kShapes, *rule);
  const int64_t size = whole.layout().size();
  fill(whole.layout(), whole.parameters(), 1);
  fill(whole.layout(), cut.parameters(), 1);
  const Mixing mixing(c, whole);
  const Mixing cut_mixing(c, cut);
  std::vector<int64_t> begins;
  for (int64_t begin = 0; begin < size; begin += tensor::kBlock)
    begins.push_back(begin);
  std::vector<double> squares(whole.layout().blocks());
  std::vector<double> cut_squares(squares.size());
  for (int64_t step = 0; step < 5; ++step) {
    fill(whole.layout(), whole.gradients(), 10 + step);
    fill(whole.layout(), cut.gradients(), 10 + step);
    const auto old = tensor::squared_norms(whole.layout(), whole.parameters());
    const StepInfo info{
        .step = step,
        .lr = 0.1,
        .gradient_scale = c.gradient_scale};
    rule->update(whole, {0, size}, info, mixing.view(), squares);
    std::ranges::rotate(begins, begins.begin() + 1);
    for (const int64_t begin : begins) {
      // A rule of its own each time: there is no state but the planes.
      make(options_of(c), c.window, form_of(c))
          ->update(
              cut,
              {begin, std::min(begin + tensor::kBlock, size)},
              info,
              cut_mixing.view(),
              cut_squares);
    }
    ASSERT_TRUE(std::ranges::equal(whole.parameters(), cut.parameters()));
    for (int plane = 0; plane < whole.state_planes(); ++plane)
      ASSERT_TRUE(std::ranges::equal(whole.state(plane), cut.state(plane)));
    ASSERT_EQ(squares, cut_squares);
    const auto recorded = tensor::fold_blocks(whole.layout(), squares);
    ASSERT_EQ(
        recorded,
        c.terms > 0
            ? old
            : tensor::squared_norms(whole.layout(), whole.parameters()));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Options,
    AdamFamily,
    ::testing::Values(
        Case{false, 0, false, 0, 0, false, 1},
        Case{false, 0.1, false, 0, 2, false, 1},
        Case{false, 0.1, true, 0, 3, true, 0.5},
        Case{true, 0.1, false, 0, 2, false, 1},
        Case{true, 0.1, true, 0, 4, true, 0.25},
        Case{false, 0, false, 2, 0, false, 1},
        Case{false, 0.1, false, 3, 2, false, 0.5},
        Case{true, 0.1, false, 2, 2, true, 1},
        Case{true, 0.1, true, 4, 7, false, 0.5},
        Case{true, 0.1, false, 4, 1, false, 1},
        Case{true, 0.1, false, 1, 2, false, 1}));

} // namespace
} // namespace grapevine::algo
