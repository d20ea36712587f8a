// Workers on threads of one process, each with its averaging thread: everybody
// ends, nothing is lost, and the pairs' sums are conserved.
#include "gossip/averager.h"

#include "algo/rules.h"
#include "base/error.h"
#include "gossip/allowance.h"
#include "gossip/control_channel.h"
#include "gossip/neighbours.h"
#include "graph/schedule.h"
#include "net/transports.h"
#include "small_world.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>

namespace grapevine::gossip {
namespace {

constexpr int64_t kPieceBytes = 2 * tensor::kBlock * sizeof(float);

struct Outcome {
  Statistics statistics;
  double total_estimate = 0;
};

struct CrowdOptions {
  std::string graph = "ring";
  int n = 4;
  double rate = 1;
  double lr = 0;
  int64_t total = 200;
  int64_t max_lag = -1;
  Dynamics dynamics = {};
};

class Crowd {
 public:
  explicit Crowd(const CrowdOptions& options) : options_(options) {
    for (int i = 0; i < options.n; ++i) {
      arenas_.push_back(make_arena(50 + i, 1));
      replicas_.push_back(std::make_unique<Replica>(
          *arenas_.back(),
          options.dynamics,
          kPieceBytes));
      fill(arenas_.back()->gradients(), 70 + i);
    }
  }

  std::vector<Outcome> go() {
    const auto neighbours = neighbours_in(*graph::make_schedule(
        {.name = options_.graph, .n = options_.n, .seed = 3}));
    auto transports = net::make_local_transports(options_.n);
    std::vector<Outcome> outcomes(options_.n);
    {
      std::vector<std::jthread> threads;
      for (int i = 0; i < options_.n; ++i) {
        threads.emplace_back([&, i] {
          const auto edges =
              member::make_fixed_edges(std::move(transports[i]), neighbours[i]);
          outcomes[i] = work(i, *edges, neighbours[i]);
        });
      }
    }
    return outcomes;
  }

  std::vector<double> totals() const {
    std::vector<double> sum(replicas_[0]->x().size());
    for (const auto& replica : replicas_) {
      for (size_t e = 0; e < sum.size(); ++e) {
        sum[e] += replica->x()[e];
        if (!replica->y().empty()) sum[e] += replica->y()[e];
      }
    }
    return sum;
  }
  const tensor::Arena& arena(int i) const { return *arenas_[i]; }

 private:
  Outcome
  work(int rank, member::Edges& edges, const std::vector<int>& neighbours) {
    Averager averager(
        *replicas_[rank],
        edges,
        neighbours,
        {.total_gradients = options_.total,
         .seed = 9,
         .deadline = std::chrono::seconds(60)});
    const auto rule = algo::make_rule({.name = "sgd", .momentum = 0});
    int64_t gradient = 0;
    while (!averager.is_ending()) {
      std::this_thread::sleep_for(std::chrono::microseconds(300 + 50 * rank));
      replicas_[rank]->move(
          *rule,
          {.step = gradient, .lr = options_.lr},
          averager.units());
      averager.gradient_done(
          0.0003,
          allowance(Averagings::kPoisson, options_.rate, 9, rank, gradient));
      averager.hold_back(options_.max_lag);
      ++gradient;
    }
    averager.end();
    return {averager.statistics(), averager.total_estimate()};
  }

  CrowdOptions options_;
  std::vector<std::unique_ptr<tensor::Arena>> arenas_;
  std::vector<std::unique_ptr<Replica>> replicas_;
};

int64_t gradients_of(const std::vector<Outcome>& outcomes) {
  int64_t sum = 0;
  for (const Outcome& outcome : outcomes)
    sum += outcome.statistics.gradients;
  return sum;
}

TEST(Averager, EndsForAnyNumberOfWorkers) {
  for (const std::string graph : {"ring", "complete"}) {
    for (const int n : {1, 2, 3, 4, 7, 8}) {
      // Averaging threads give way on a busy machine; nobody ends before they
      // have had their turn.
      Crowd run(
          {.graph = graph,
           .n = n,
           .total = 500 * n,
           .max_lag = n > 1 ? 50 : -1});
      const auto outcomes = run.go();
      // The estimate of others' counts may be a tenth ahead of them, on a
      // machine where workers stand still for a while.
      EXPECT_GE(gradients_of(outcomes), 450 * n);
      for (const Outcome& outcome : outcomes)
        EXPECT_EQ(outcome.statistics.averagings > 0, n > 1) << graph << n;
    }
  }
}

// Both averaging and flow conserve the sum over all workers of x and y, and a
// move adds to both what it adds: nothing is lost under real concurrency.
TEST(Averager, LosesNoUpdate) {
  CrowdOptions options{
      .n = 5,
      .lr = 1e-3,
      .total = 500,
      .dynamics = {.eta = 0.2, .alpha_y = 0.9}};
  Crowd run(options);
  std::vector<double> expected = run.totals();
  const auto outcomes = run.go();
  for (int i = 0; i < options.n; ++i) {
    const auto moves = static_cast<double>(outcomes[i].statistics.gradients);
    for (size_t e = 0; e < expected.size(); ++e)
      expected[e] -= 2 * options.lr * moves * run.arena(i).gradients()[e];
  }
  const std::vector<double> after = run.totals();
  for (size_t e = 0; e < after.size(); ++e)
    ASSERT_NEAR(after[e], expected[e], 5e-3) << e;
}

TEST(Averager, GradientsWaitOnlyIfMaxLagIsExceeded) {
  // No limit, and one that is never reached.
  for (const int64_t max_lag : {int64_t{-1}, int64_t{1'000'000}}) {
    Crowd free({.n = 3, .rate = 50, .total = 150, .max_lag = max_lag});
    for (const Outcome& outcome : free.go())
      EXPECT_EQ(outcome.statistics.held_seconds, 0) << max_lag;
  }
  Crowd held({.n = 3, .rate = 5, .total = 60, .max_lag = 2});
  double seconds = 0;
  for (const Outcome& outcome : held.go())
    seconds += outcome.statistics.held_seconds;
  EXPECT_GT(seconds, 0);
}

// Two workers, of which this is the first.
class AveragerPair : public ::testing::Test {
 protected:
  // One of them, with the deadline of `options`.
  void with_averager(
      int rank,
      AveragerOptions options,
      const std::function<void(Averager&)>& work) {
    const auto edges =
        member::make_fixed_edges(std::move(transports_[rank]), {1 - rank});
    Averager averager(*replicas_[rank], *edges, {1 - rank}, options);
    work(averager);
  }

  static void compute_until_the_end(Averager& averager, int64_t averagings) {
    while (!averager.is_ending()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      averager.gradient_done(0.001, averagings);
    }
  }

  std::vector<float> values(int rank) {
    const auto x = replicas_[rank]->x();
    return {x.begin(), x.end()};
  }

  std::vector<std::unique_ptr<net::Transport>> transports_ =
      net::make_local_transports(2);
  std::unique_ptr<tensor::Arena> arenas_[2] = {make_arena(1), make_arena(2)};
  std::unique_ptr<Replica> replicas_[2] = {
      std::make_unique<Replica>(*arenas_[0], plain_dynamics(), kPieceBytes),
      std::make_unique<Replica>(*arenas_[1], plain_dynamics(), kPieceBytes)};
};

// No answer is missed, since the neighbour is asked for nothing.
TEST_F(AveragerPair, MissesANeighbourThatSaysNothing) {
  const AveragerOptions options{
      .total_gradients = 1'000'000'000,
      .deadline = std::chrono::milliseconds(200)};
  with_averager(0, options, [](Averager& averager) {
    try {
      compute_until_the_end(averager, 0);
      averager.gradient_done(0.001, 0);
      ADD_FAILURE() << "the neighbour was not missed";
    } catch (const TransportError& error) {
      EXPECT_STREQ(
          error.what(),
          "worker 1 is lost: nothing was heard of it in time");
    }
  });
}

// A count that no worker can have would end the run of all.
TEST_F(AveragerPair, LosesANeighbourThatSendsNonsense) {
  std::vector<std::byte> nonsense(control_message_bytes(2));
  nonsense[0] = std::byte{ControlMessage::kNews};
  const int64_t count = int64_t{1} << 62;
  std::memcpy(nonsense.data() + 8, &count, sizeof(count));
  transports_[1]->send(nonsense, 0, kControlTag);
  with_averager(0, {.total_gradients = 1'000'000}, [](Averager& averager) {
    EXPECT_THROW(compute_until_the_end(averager, 0), TransportError);
  });
}

TEST_F(AveragerPair, DoesNotMissThoseWhoHaveNothingToSay) {
  const std::chrono::milliseconds kDeadline(2000);
  const auto idle = [&](int rank) {
    with_averager(
        rank,
        {.total_gradients = 100, .deadline = kDeadline},
        [&](Averager& averager) {
          std::this_thread::sleep_for(kDeadline + kDeadline / 4);
          averager.end();
          for (const MembershipChange& change : averager.membership())
            EXPECT_TRUE(change.is_there) << change.why;
        });
  };
  std::jthread other(idle, 1);
  idle(0);
}

// A worker that has just begun takes its neighbour's values, which keeps them.
TEST_F(AveragerPair, AFreshWorkerTakesANeighboursValues) {
  const std::vector<float> before = values(0);
  const auto run = [&](int rank) {
    const AveragerOptions options{
        .total_gradients = 1'000'000, // who is fresh asks for the end
        .deadline = std::chrono::seconds(60),
        .is_fresh = rank == 1};
    with_averager(rank, options, [&](Averager& averager) {
      if (rank == 1) {
        EXPECT_TRUE(averager.wait_for_values(std::chrono::seconds(60)));
        averager.ask_for_end();
      }
      compute_until_the_end(averager, 1);
      averager.end();
    });
  };
  {
    std::jthread other(run, 1);
    run(0);
  }
  EXPECT_EQ(values(0), before);
  EXPECT_EQ(values(1), before);
}

// A path on whose one end is the only one with values: the others meet each
// other first, to no avail.
TEST(Averager, FreshWorkersAskUntilTheyAreGivenValues) {
  constexpr int kWorkers = 3;
  const std::vector<std::vector<int>> neighbours = {{1}, {0, 2}, {1}};
  auto transports = net::make_local_transports(kWorkers);
  std::vector<std::unique_ptr<tensor::Arena>> arenas;
  std::vector<std::unique_ptr<Replica>> replicas;
  for (int i = 0; i < kWorkers; ++i) {
    arenas.push_back(make_arena(1 + i));
    replicas.push_back(
        std::make_unique<Replica>(*arenas[i], plain_dynamics(), kPieceBytes));
  }
  const auto values = [&](int i) {
    return std::vector<float>(replicas[i]->x().begin(), replicas[i]->x().end());
  };
  const std::vector<float> before = values(0);
  const auto run = [&](int rank) {
    const auto edges =
        member::make_fixed_edges(std::move(transports[rank]), neighbours[rank]);
    Averager averager(
        *replicas[rank],
        *edges,
        neighbours[rank],
        {.total_gradients = 1'000'000,
         .deadline = std::chrono::seconds(60),
         .is_fresh = rank > 0});
    if (rank > 0) {
      EXPECT_TRUE(averager.wait_for_values(std::chrono::seconds(60)));
      EXPECT_FALSE(averager.is_fresh());
    }
    if (rank == 2) averager.ask_for_end();
    while (!averager.is_ending()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      averager.gradient_done(0.001, 1);
    }
    averager.end();
  };
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < kWorkers; ++rank)
      threads.emplace_back(run, rank);
  }
  for (int i = 0; i < kWorkers; ++i)
    EXPECT_EQ(values(i), before) << i;
}

} // namespace
} // namespace grapevine::gossip
