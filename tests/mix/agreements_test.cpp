// Every synchronous agreement: its formula, written down plainly in double,
// what it sends, the sum that it keeps, and what it is for. (That it gives the
// same bits everywhere is in stepper_test.cpp.)
#include "base/error.h"
#include "mix/stepper_support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace grapevine::mix {
namespace {

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

// A x, with A_ij = 1 / (1 + outdegree(j)).
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

// Workers as those of train() are, in double but for the parameters at which
// gradients are taken.
class Reference {
 public:
  explicit Reference(const Case& c) {
    for (int rank = 0; rank < c.n; ++rank)
      arenas_.push_back(make_arena(rank, c.equal_start));
    momenta_ = zero();
  }

  Planes zero() const {
    return Planes(
        arenas_.size(),
        std::vector<double>(arenas_[0].parameters().size()));
  }
  Planes parameters() const {
    Planes x;
    for (const tensor::Arena& arena : arenas_)
      x.emplace_back(arena.parameters().begin(), arena.parameters().end());
    return x;
  }
  void see(const Planes& x) {
    for (size_t i = 0; i < x.size(); ++i)
      std::ranges::copy(x[i], arenas_[i].parameters().begin());
  }
  std::vector<float> of_worker_0() const {
    return {arenas_[0].parameters().begin(), arenas_[0].parameters().end()};
  }

  // x - lr m, with m of drive(i, e, gradient).
  template <typename Drive>
  Planes adapted(int64_t step, Planes x, const Drive& drive) {
    for (size_t i = 0; i < arenas_.size(); ++i) {
      tensor::Arena& arena = arenas_[i];
      fill_gradient(arena, static_cast<int>(i), step);
      for (const auto& tensor : arena.layout().tensors()) {
        const double decay = tensor.is_matrix ? 1e-3 : 0;
        for (int64_t e = tensor.offset; e < tensor.range().end; ++e) {
          const double d =
              drive(i, e, arena.gradients()[e]) + decay * arena.parameters()[e];
          momenta_[i][e] = step == 0 ? d : 0.9 * momenta_[i][e] + d;
          x[i][e] -= 0.05 * momenta_[i][e];
        }
      }
    }
    return x;
  }
  Planes adapted(int64_t step, Planes x) {
    return adapted(step, std::move(x), [](size_t, int64_t, double g) {
      return g;
    });
  }

 private:
  std::vector<tensor::Arena> arenas_;
  Planes momenta_;
};

// x <- W x - lr m.
std::vector<float> combine_while_adapt(const Case& c) {
  Reference workers(c);
  const auto schedule = make_schedule(c);
  for (int64_t step = 0; step < kSteps; ++step) {
    Planes x = mixed(*schedule->at({step, step}), workers.parameters());
    workers.see(workers.adapted(step, std::move(x)));
  }
  return workers.of_worker_0();
}

// x <- A (x - lr m) or, overlapped, A x - lr m, and z = x / w.
std::vector<float> push_sum(const Case& c) {
  Reference workers(c);
  Planes x = workers.parameters();
  Planes w(c.n, {1.0});
  const auto receivers = lopsided_receivers(c.n);
  for (int64_t step = 0; step < kSteps; ++step) {
    if (c.agreement == "push-sum") {
      x = pushed(receivers, workers.adapted(step, std::move(x)));
    } else {
      x = workers.adapted(step, pushed(receivers, x));
    }
    w = pushed(receivers, w);
    Planes z = x;
    for (int i = 0; i < c.n; ++i) {
      for (double& value : z[i])
        value /= w[i][0];
    }
    workers.see(z);
  }
  return workers.of_worker_0();
}

// y(t) = W y(t-1) + g(t) - g(t-1) and x <- W (x - lr m(y)).
std::vector<float> gradient_tracking(const Case& c) {
  Reference workers(c);
  Planes y = workers.zero();
  Planes last = y;
  const auto schedule = make_schedule(c);
  for (int64_t step = 0; step < kSteps; ++step) {
    if (step > 0) y = mixed(*schedule->at({step - 1, step - 1}), y);
    Planes x = workers.adapted(
        step,
        workers.parameters(),
        [&](size_t i, int64_t e, double g) {
          y[i][e] += g - std::exchange(last[i][e], g);
          return y[i][e];
        });
    workers.see(mixed(*schedule->at({step, step}), x));
  }
  return workers.of_worker_0();
}

TEST(Agreements, AreTheirFormulas) {
  std::vector<std::pair<Case, std::vector<float> (*)(const Case&)>> list;
  const auto add = [&](const char* agreement,
                       const char* graph,
                       int n,
                       auto f) {
    list.push_back(
        {{.agreement = agreement, .graph = graph, .n = n, .equal_start = false},
         f});
  };
  for (const char* graph : {"ring", "one-peer-exponential", "star"})
    add("combine-while-adapt", graph, 4, combine_while_adapt);
  for (const int n : {2, 4, 7}) {
    add("push-sum", "lopsided", n, push_sum);
    add("push-sum-overlapped", "lopsided", n, push_sum);
  }
  for (const char* graph : {"ring", "star", "one-peer-exponential"})
    add("gradient-tracking", graph, 5, gradient_tracking);
  for (const auto& [c, formula] : list) {
    const std::vector<float> expected = formula(c);
    const Outcome outcome = train_virtually(c, 1);
    for (size_t e = 0; e < expected.size(); ++e) {
      ASSERT_NEAR(outcome.parameters[e], expected[e], 2e-5)
          << c.agreement << " on " << c.graph;
    }
  }
}

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

TEST(Agreements, SendWhatTheyPromise) {
  const int64_t plane = make_arena(0, true).layout().size() * 4;
  const int64_t buffers = make_arena(0, true).buffer_layout().size() * 4;
  int64_t edges = 0;
  for (const auto& list : lopsided_receivers(7))
    edges += static_cast<int64_t>(list.size());
  struct Expected {
    const char* agreement;
    const char* graph;
    int64_t messages; // per step, and of the parameters alone
    int64_t bytes;
  };
  for (const Expected& it :
       {Expected{"adapt-then-combine", "ring", 7 * 2 * 2, 7 * 2 * plane},
        {"allreduce", "complete", 7 * 2 * 6 * 2, 2 * 6 * plane},
        {"push-sum", "lopsided", 2 * edges, edges * plane},
        {"push-sum-overlapped", "lopsided", 2 * edges, edges * plane},
        {"gradient-tracking", "ring", 7 * 2 * 3, 7 * 2 * 2 * plane}}) {
    const Outcome out = train_virtually(
        {.agreement = it.agreement, .graph = it.graph, .n = 7},
        1);
    EXPECT_EQ(out.messages, kSteps * it.messages) << it.agreement;
    const int64_t copies = it.graph == std::string("ring")       ? 7 * 2
                           : it.graph == std::string("complete") ? 2 * 6
                                                                 : edges;
    EXPECT_EQ(out.bytes, kSteps * (it.bytes + copies * buffers))
        << it.agreement;
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

// Remembers what it is given in the gradient's place, and changes nothing.
class Spy : public algo::LocalRule {
 public:
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
    const Spy spy;
    ThreadPool pool(1);
    const auto cluster = make_virtual_cluster(kWorkers, pool);
    Team team(
        *cluster,
        "gradient-tracking",
        spy,
        *schedule,
        [](int rank, int planes) { return make_arena(rank, false, planes); });
    const size_t size = team.arenas()[0].gradients().size();
    for (int64_t step = 0; step < kManySteps; ++step) {
      std::vector<double> gradients(size);
      team.step(step, 0, 0, [&](tensor::Arena& arena, int rank, auto*) {
        fill_gradient(arena, rank, step);
        for (size_t e = 0; e < size; ++e)
          gradients[e] += arena.gradients()[e];
      });
      for (size_t e = 0; e < size; e += 97) {
        double trackers = 0;
        for (const tensor::Arena& arena : team.arenas())
          trackers += spy.seen(arena)[e];
        ASSERT_NEAR(trackers, gradients[e], 1e-4) << graph << " " << step;
      }
    }
  }
}

// Workers that want different things, and some more strongly than others.
TEST(GradientTracking, FindsTheOptimumWhereOthersStall) {
  constexpr int kWorkers = 8;
  std::vector<Quadratic> wanted;
  double weighted = 0;
  double weights = 0;
  for (int i = 0; i < kWorkers; ++i) {
    wanted.push_back({.a = 0.5 + i % 3, .b = i - 2.0});
    weighted += wanted[i].a * wanted[i].b;
    weights += wanted[i].a;
  }
  const auto ring = graph::make_schedule({.name = "ring", .n = kWorkers});
  const auto distance = [&](const char* agreement) {
    double largest = 0;
    for (const double x :
         train_quadratics(wanted, agreement, *ring, 0.05, 3000))
      largest = std::max(largest, std::abs(x - weighted / weights));
    return largest;
  };
  EXPECT_LT(distance("gradient-tracking"), 1e-4);
  EXPECT_GT(distance("adapt-then-combine"), 0.1);
  EXPECT_GT(distance("combine-while-adapt"), 0.1);
}

} // namespace
} // namespace grapevine::mix
