// Gradient tracking: its formula, the sum that it keeps, the same bits
// everywhere, and the optimum that it finds where others stall.
#include "mix/stepper_support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace grapevine::mix {
namespace {

class TrackingBits : public ::testing::TestWithParam<Case> {};

TEST_P(TrackingBits, AreTheSameOverThreads) {
  expect_same_bits(GetParam());
}

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const int n : {1, 2, 3, 4, 7}) {
    for (const char* graph :
         {"ring", "complete", "star", "one-peer-directed"}) {
      list.push_back(
          {.agreement = "gradient-tracking", .graph = graph, .n = n});
    }
    list.push_back(
        {.agreement = "gradient-tracking", .n = n, .equal_start = false});
  }
  return list;
}

INSTANTIATE_TEST_SUITE_P(
    All,
    TrackingBits,
    ::testing::ValuesIn(cases()),
    [](const auto& info) { return name_of(info.param); });

using Planes = std::vector<std::vector<double>>;

// W x.
Planes mixed(const graph::Mixing& mixing, const Planes& x) {
  Planes out(x.size(), std::vector<double>(x[0].size()));
  for (size_t i = 0; i < x.size(); ++i) {
    for (const auto& term : mixing.row(static_cast<int>(i))) {
      for (size_t e = 0; e < x[i].size(); ++e)
        out[i][e] += term.weight * x[term.rank][e];
    }
  }
  return out;
}

// y(t) = W y(t-1) + g(t) - g(t-1) and x <- W (x - lr m(y)), in double.
std::vector<float> reference(const Case& c) {
  std::vector<tensor::Arena> arenas;
  for (int rank = 0; rank < c.n; ++rank)
    arenas.push_back(make_arena(rank, c.equal_start));
  const size_t size = arenas[0].parameters().size();
  const Planes zero(c.n, std::vector<double>(size));
  Planes x = zero, y = zero, last = zero, momenta = zero;
  const auto schedule = make_schedule(c);
  for (int64_t step = 0; step < kSteps; ++step) {
    if (step > 0) y = mixed(*schedule->at({step - 1, step - 1}), y);
    for (int i = 0; i < c.n; ++i) {
      fill_gradient(arenas[i], i, step);
      for (const auto& tensor : arenas[i].layout().tensors()) {
        const double decay = tensor.is_matrix ? 1e-3 : 0;
        for (int64_t e = tensor.offset; e < tensor.range().end; ++e) {
          const double g = arenas[i].gradients()[e];
          y[i][e] += g - last[i][e];
          last[i][e] = g;
          const double d = y[i][e] + decay * arenas[i].parameters()[e];
          momenta[i][e] = step == 0 ? d : 0.9 * momenta[i][e] + d;
          x[i][e] = arenas[i].parameters()[e] - 0.05 * momenta[i][e];
        }
      }
    }
    x = mixed(*schedule->at({step, step}), x);
    for (int i = 0; i < c.n; ++i)
      std::ranges::copy(x[i], arenas[i].parameters().begin());
  }
  return {arenas[0].parameters().begin(), arenas[0].parameters().end()};
}

TEST(GradientTracking, IsItsFormula) {
  for (const char* graph : {"ring", "star", "one-peer-exponential"}) {
    const Case c{
        .agreement = "gradient-tracking",
        .graph = graph,
        .n = 5,
        .equal_start = false};
    const std::vector<float> expected = reference(c);
    const Outcome outcome = train_virtually(c, 1);
    for (size_t e = 0; e < expected.size(); ++e)
      ASSERT_NEAR(outcome.parameters[e], expected[e], 2e-5) << graph;
  }
}

TEST(GradientTracking, SendsTwoPlanes) {
  const int64_t plane = make_arena(0, true).layout().size() * 4;
  const int64_t buffers = make_arena(0, true).buffer_layout().size() * 4;
  const Outcome out =
      train_virtually({.agreement = "gradient-tracking", .n = 7}, 1);
  EXPECT_EQ(out.messages, kSteps * 7 * 2 * 3);
  EXPECT_EQ(out.bytes, kSteps * 7 * 2 * (2 * plane + buffers));
}

// Remembers what it is given in the gradient's place, and changes nothing.
class Spy : public algo::LocalRule {
 public:
  std::string name() const override { return "spy"; }
  std::vector<std::string> state_planes() const override { return {}; }
  void update(
      tensor::Arena& arena,
      Range range,
      const algo::StepInfo&,
      const tensor::MixTerms&,
      std::span<double>) const override {
    std::vector<float>& seen = seen_[&arena];
    seen.resize(arena.gradients().size());
    for (int64_t e = range.begin; e < range.end; ++e)
      seen[e] = arena.gradients()[e];
  }
  const std::vector<float>& seen(const tensor::Arena& arena) const {
    return seen_.at(&arena);
  }

 private:
  mutable std::map<const tensor::Arena*, std::vector<float>> seen_;
};

TEST(GradientTracking, TrackersSumToTheGradients) {
  constexpr int kWorkers = 6;
  constexpr int64_t kManySteps = 200;
  for (const char* graph : {"ring", "star", "random-matching"}) {
    const auto schedule = graph::make_schedule({.name = graph, .n = kWorkers});
    const auto spy = std::make_shared<Spy>();
    const auto& agreement = algo::find_agreement("gradient-tracking");
    ThreadPool pool(1);
    const auto cluster = make_virtual_cluster(kWorkers, pool);
    std::vector<tensor::Arena> arenas;
    std::vector<tensor::Arena*> pointers;
    for (int rank = 0; rank < kWorkers; ++rank)
      arenas.push_back(make_arena(rank, false));
    for (tensor::Arena& arena : arenas)
      pointers.push_back(&arena);
    cluster->attach(pointers);
    Stepper stepper(*cluster, pointers, agreement, *spy, *schedule, {});
    const size_t size = arenas[0].gradients().size();
    for (int64_t step = 0; step < kManySteps; ++step) {
      std::vector<double> gradients(size);
      stepper.step(
          {.moment = {.step = step},
           .lr = 0,
           .compute_gradient = [&](int index, GradientListener*) {
             fill_gradient(arenas[index], index, step);
             for (size_t e = 0; e < size; ++e)
               gradients[e] += arenas[index].gradients()[e];
           }});
      for (size_t e = 0; e < size; e += 97) {
        double trackers = 0;
        for (const tensor::Arena& arena : arenas)
          trackers += spy->seen(arena)[e];
        ASSERT_NEAR(trackers, gradients[e], 1e-4) << graph << " " << step;
      }
    }
  }
}

double farthest(const std::vector<double>& x, double from) {
  double largest = 0;
  for (const double value : x)
    largest = std::max(largest, std::abs(value - from));
  return largest;
}

// Workers that want different things, and some more strongly than others.
TEST(GradientTracking, FindsTheOptimumWhereOthersStall) {
  constexpr int kWorkers = 8;
  constexpr double kLr = 0.05;
  constexpr int64_t kManySteps = 3000;
  std::vector<Quadratic> wanted;
  double weighted = 0;
  double weights = 0;
  for (int i = 0; i < kWorkers; ++i) {
    wanted.push_back({.a = 0.5 + i % 3, .b = i - 2.0});
    weighted += wanted[i].a * wanted[i].b;
    weights += wanted[i].a;
  }
  const double optimum = weighted / weights;
  const auto ring = graph::make_schedule({.name = "ring", .n = kWorkers});
  const auto distance = [&](const char* agreement) {
    return farthest(
        train_quadratics(wanted, agreement, *ring, kLr, kManySteps),
        optimum);
  };
  EXPECT_LT(distance("gradient-tracking"), 1e-4);
  EXPECT_GT(distance("adapt-then-combine"), 0.1);
  EXPECT_GT(distance("combine-while-adapt"), 0.1);
}

} // namespace
} // namespace grapevine::mix
