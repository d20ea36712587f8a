// Push-sum, overlapped or not: its formula, its twin where weights stay 1, the
// same bits everywhere, and what it is for.
#include "base/error.h"
#include "mix/stepper_support.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace grapevine::mix {
namespace {

class PushSumBits : public ::testing::TestWithParam<Case> {};

TEST_P(PushSumBits, AreTheSameOverThreads) {
  expect_same_bits(GetParam());
}

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const char* agreement : {"push-sum", "push-sum-overlapped"}) {
    for (const int n : {1, 2, 3, 4, 7}) {
      list.push_back({.agreement = agreement, .graph = "lopsided", .n = n});
      Case apart = list.back();
      apart.equal_start = false;
      apart.clip = 1;
      list.push_back(apart);
      list.push_back(
          {.agreement = agreement, .graph = "one-peer-directed", .n = n});
    }
  }
  return list;
}

INSTANTIATE_TEST_SUITE_P(
    All,
    PushSumBits,
    ::testing::ValuesIn(cases()),
    [](const auto& info) { return name_of(info.param); });

TEST(PushSum, IsItsTwinWhereWeightsStayOne) {
  const std::pair<const char*, const char*> twins[] = {
      {"push-sum", "adapt-then-combine"},
      {"push-sum-overlapped", "combine-while-adapt"}};
  for (const auto& [push, twin] : twins) {
    for (const char* graph :
         {"ring",
          "star",
          "exponential",
          "complete",
          "ada",
          "one-peer-directed",
          "one-peer-exponential"}) {
      const Outcome a =
          train_virtually({.agreement = push, .graph = graph, .n = 7}, 1);
      const Outcome b =
          train_virtually({.agreement = twin, .graph = graph, .n = 7}, 1);
      EXPECT_EQ(a.sha256, b.sha256) << push << " on " << graph;
      EXPECT_EQ(a.bytes, b.bytes);
    }
  }
}

using Planes = std::vector<std::vector<double>>;

// A x, with A_ij = 1 / (1 + outdegree(j)), and the same for w.
Planes pushed(const std::vector<std::vector<int>>& receivers, const Planes& x) {
  Planes out(x.size(), std::vector<double>(x[0].size()));
  for (size_t j = 0; j < x.size(); ++j) {
    const double share = 1.0 / static_cast<double>(1 + receivers[j].size());
    for (size_t e = 0; e < x[j].size(); ++e) {
      out[j][e] += share * x[j][e];
      for (const int i : receivers[j])
        out[i][e] += share * x[j][e];
    }
  }
  return out;
}

// x <- A (x - lr m) or A x - lr m, and z = x / w, written down in double.
std::vector<float> reference(const Case& c, bool overlapped) {
  std::vector<tensor::Arena> arenas;
  for (int rank = 0; rank < c.n; ++rank)
    arenas.push_back(make_arena(rank, c.equal_start));
  const size_t size = arenas[0].parameters().size();
  Planes x;
  for (const tensor::Arena& arena : arenas)
    x.emplace_back(arena.parameters().begin(), arena.parameters().end());
  Planes w(c.n, {1.0});
  Planes momenta(c.n, std::vector<double>(size));
  const auto receivers = lopsided_receivers(c.n);
  for (int64_t step = 0; step < kSteps; ++step) {
    for (int i = 0; i < c.n; ++i) {
      fill_gradient(arenas[i], i, step);
      for (const auto& tensor : arenas[i].layout().tensors()) {
        const double decay = tensor.is_matrix ? 1e-3 : 0;
        for (int64_t e = tensor.offset; e < tensor.range().end; ++e) {
          const double d =
              arenas[i].gradients()[e] + decay * arenas[i].parameters()[e];
          momenta[i][e] = step == 0 ? d : 0.9 * momenta[i][e] + d;
        }
      }
    }
    const auto adapt = [&] {
      for (int i = 0; i < c.n; ++i) {
        for (size_t e = 0; e < size; ++e)
          x[i][e] -= 0.05 * momenta[i][e];
      }
    };
    if (!overlapped) adapt();
    x = pushed(receivers, x);
    w = pushed(receivers, w);
    if (overlapped) adapt();
    for (int i = 0; i < c.n; ++i) {
      for (size_t e = 0; e < size; ++e)
        arenas[i].parameters()[e] = static_cast<float>(x[i][e] / w[i][0]);
    }
  }
  return {arenas[0].parameters().begin(), arenas[0].parameters().end()};
}

TEST(PushSum, IsItsFormula) {
  for (const bool overlapped : {false, true}) {
    for (const int n : {2, 4, 7}) {
      const Case c{
          .agreement = overlapped ? "push-sum-overlapped" : "push-sum",
          .graph = "lopsided",
          .n = n,
          .equal_start = false};
      const std::vector<float> expected = reference(c, overlapped);
      const Outcome outcome = train_virtually(c, 1);
      for (size_t e = 0; e < expected.size(); ++e)
        ASSERT_NEAR(outcome.parameters[e], expected[e], 2e-5) << c.agreement;
    }
  }
}

TEST(PushSum, SendsAMessageAnEdge) {
  const int64_t plane = make_arena(0, true).layout().size() * 4;
  const int64_t buffers = make_arena(0, true).buffer_layout().size() * 4;
  int64_t edges = 0;
  for (const auto& list : lopsided_receivers(7))
    edges += static_cast<int64_t>(list.size());
  for (const char* agreement : {"push-sum", "push-sum-overlapped"}) {
    const Outcome out = train_virtually(
        {.agreement = agreement, .graph = "lopsided", .n = 7},
        1);
    EXPECT_EQ(out.messages, 2 * kSteps * edges); // parameters and buffers
    EXPECT_EQ(out.bytes, kSteps * edges * (plane + buffers));
  }
}

TEST(PushSum, OthersRefuseGraphsWithWeights) {
  for (const char* agreement :
       {"adapt-then-combine", "combine-while-adapt", "allreduce"}) {
    EXPECT_THROW(
        train_virtually(
            {.agreement = agreement, .graph = "lopsided", .n = 4},
            1),
        ConfigError);
  }
}

// A schedule without its weights: plain averages over whom one hears.
class Unweighted : public graph::Schedule {
 public:
  explicit Unweighted(int n) : pushes_(lopsided_receivers(n)) {}
  std::shared_ptr<const graph::Mixing> at(graph::StepTime) const override {
    return pushes_.at({.step = 0});
  }
  int period() const override { return 1; }
  int n() const override { return pushes_.n(); }

 private:
  graph::PushSchedule pushes_;
};

// Where the mean over the workers goes when worker i wants x = i.
double settles_at(const graph::Schedule& schedule, const std::string& name) {
  std::vector<Quadratic> wanted;
  for (int i = 0; i < schedule.n(); ++i)
    wanted.push_back({.a = 1, .b = static_cast<double>(i)});
  double sum = 0;
  for (const double x : train_quadratics(wanted, name, schedule, 0.005, 3000))
    sum += x;
  return sum / schedule.n();
}

// Everybody's data count alike with the weights, and without them those count
// more whom many hear.
TEST(PushSum, FindsTheOptimumOfAll) {
  constexpr int kWorkers = 7;
  const double optimum = (kWorkers - 1) / 2.0;
  const graph::PushSchedule schedule(lopsided_receivers(kWorkers));
  EXPECT_NEAR(settles_at(schedule, "push-sum"), optimum, 0.05);
  EXPECT_NEAR(settles_at(schedule, "push-sum-overlapped"), optimum, 0.05);
  const double plain = settles_at(Unweighted(kWorkers), "adapt-then-combine");
  EXPECT_GT(std::abs(plain - optimum), 0.3);
}

} // namespace
} // namespace grapevine::mix
