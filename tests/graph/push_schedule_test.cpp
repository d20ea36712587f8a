// Push-sum's weights, directed edge lists, and the directed one-peer schedule.
#include "test_graphs.h"

#include "graph/push_schedule.h"
#include "graph/spectrum.h"

#include "base/check.h"
#include "base/random.h"

#include <unistd.h>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>

namespace grapevine::graph {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Lists = std::vector<std::vector<int>>;

// A ring and random further edges: strongly connected, out-degrees differ.
Lists random_receivers(int n, uint64_t seed) {
  Random random(seed, Purpose::kTest, n);
  Lists receivers(n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      if (j == i) continue;
      const bool sends = j == (i + 1) % n || random.uniform() < 0.3 * i / n;
      if (sends) receivers[i].push_back(j);
    }
  }
  return receivers;
}

MatrixXd column_stochastic(const Lists& receivers) {
  const int n = static_cast<int>(receivers.size());
  MatrixXd a = MatrixXd::Zero(n, n);
  for (int j = 0; j < n; ++j) {
    const double share = 1.0 / static_cast<double>(1 + receivers[j].size());
    a(j, j) = share;
    for (const int i : receivers[j])
      a(i, j) = share;
  }
  return a;
}

VectorXd as_vector(const std::vector<double>& values) {
  return Eigen::Map<const VectorXd>(
      values.data(),
      static_cast<Eigen::Index>(values.size()));
}

VectorXd random_values(int n) {
  Random random(3, Purpose::kTest, n);
  VectorXd values(n);
  for (double& value : values)
    value = random.normal();
  return values;
}

TEST(PushSchedule, IsPushSumWrittenForTheQuotient) {
  for (const int n : {2, 3, 5, 16, 33}) {
    const Lists receivers = random_receivers(n, 1);
    const MatrixXd a = column_stochastic(receivers);
    const PushSchedule schedule(receivers);
    VectorXd x = random_values(n);
    VectorXd w = VectorXd::Ones(n);
    VectorXd z = x;
    for (int64_t step = 0; step < 60; ++step) {
      EXPECT_NEAR((as_vector(*schedule.weights(step)) - w).norm(), 0, 1e-12);
      z = dense(*schedule.at({.step = step})) * z;
      x = a * x;
      w = a * w;
      EXPECT_NEAR((z - x.cwiseQuotient(w)).norm(), 0, 1e-11) << n;
    }
  }
}

TEST(PushSchedule, RowsThatDoNotSumToOneAreNoMixing) {
  const auto refused = [](std::vector<std::vector<Term>> rows) {
    EXPECT_THROW(Mixing::row_stochastic(std::move(rows)), CheckFailure);
  };
  refused({{{0, 0.5}, {1, 0.4}}, {{1, 1}}});
  refused({{{0, 1.5}, {1, -0.5}}, {{1, 1}}});
  refused({{{1, 0.5}, {0, 0.5}}, {{1, 1}}});
  refused({{{1, 1}}, {{1, 1}}}); // nothing of its own
  EXPECT_EQ(Mixing::row_stochastic({{{0, 0.5}, {1, 0.5}}, {{1, 1}}}).n(), 2);
}

TEST(PushSchedule, KeepsTheWeightedSum) {
  constexpr int kWorkers = 12;
  const PushSchedule schedule(random_receivers(kWorkers, 2));
  VectorXd z = random_values(kWorkers);
  const double total = z.sum();
  for (int64_t step = 0; step < 2000; ++step) {
    z = dense(*schedule.at({.step = step})) * z;
    const VectorXd w = as_vector(*schedule.weights(step + 1));
    ASSERT_NEAR(w.dot(z), total, 1e-9) << step;
    ASSERT_NEAR(w.sum(), kWorkers, 1e-9);
    ASSERT_GT(w.minCoeff(), 0);
  }
}

TEST(PushSchedule, AgreesOnTheMeanWherePlainAveragesDoNot) {
  for (const int n : {8, 12, 24}) {
    const PushSchedule schedule(random_receivers(n, 4));
    const VectorXd start = random_values(n);
    const MatrixXd rows = dense(*schedule.at({.step = 0}));
    VectorXd pushed = start;
    VectorXd plain = start;
    for (int64_t step = 0; step < 3000; ++step) {
      pushed = dense(*schedule.at({.step = step})) * pushed;
      plain = rows * plain;
    }
    const double mean = start.mean();
    EXPECT_LT((pushed.array() - mean).abs().maxCoeff(), 1e-9) << n;
    // These agree too, but on something else.
    EXPECT_LT(plain.maxCoeff() - plain.minCoeff(), 1e-9) << n;
    EXPECT_GT(std::abs(plain[0] - mean), 1e-3) << n;
  }
}

TEST(PushSchedule, IsAFunctionOfTheStep) {
  const Lists receivers = random_receivers(9, 5);
  const PushSchedule in_order(receivers);
  std::vector<uint64_t> digests;
  for (int64_t step = 0; step < 40; ++step)
    digests.push_back(in_order.at({.step = step})->digest());
  const PushSchedule schedule(receivers);
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      Random random(thread, Purpose::kTest);
      for (int i = 0; i < 200; ++i) {
        const auto step = static_cast<int64_t>(random.below(digests.size()));
        EXPECT_EQ(schedule.at({.step = step})->digest(), digests[step]);
        EXPECT_EQ(*schedule.weights(step), *in_order.weights(step));
      }
    });
  }
}

TEST(PushSchedule, SettlesAtTheStationaryWeights) {
  const Lists receivers = random_receivers(16, 6);
  const PushSchedule schedule(receivers);
  const int64_t settled = schedule.settled_step();
  EXPECT_GT(settled, 0);
  const VectorXd w = as_vector(*schedule.weights(settled));
  EXPECT_LT((column_stochastic(receivers) * w - w).norm(), 1e-11);
  EXPECT_EQ(schedule.weights(settled), schedule.weights(settled + 123456789));
  const auto last = schedule.at({.step = settled});
  EXPECT_EQ(schedule.at({.step = settled + 1}), last);
  EXPECT_EQ(schedule.at({.step = settled + 1000}), last);
  EXPECT_NE(schedule.at({.step = 0})->digest(), last->digest());
  EXPECT_EQ(schedule.at({.step = settled})->digest(), last->digest());
}

TEST(PushSchedule, IsAnalysedAsItSettles) {
  const Lists receivers = random_receivers(16, 6);
  auto moduli = Eigen::EigenSolver<MatrixXd>(column_stochastic(receivers))
                    .eigenvalues()
                    .cwiseAbs()
                    .eval();
  std::sort(moduli.begin(), moduli.end());
  const Spectrum spectrum = analyse(PushSchedule(receivers));
  EXPECT_NEAR(spectrum.second_eigenvalue, moduli[moduli.size() - 2], 1e-9);
  EXPECT_TRUE(spectrum.chi1.has_value());
}

class DirectedEdges : public ::testing::Test {
 protected:
  DirectedEdges()
      : file_(
            std::filesystem::temp_directory_path() /
            ("grapevine_directed_edges_" + std::to_string(::getpid()))) {}
  ~DirectedEdges() override { std::filesystem::remove(file_); }

  GraphOptions with(int n, const std::string& text) {
    std::ofstream(file_) << text;
    return {.name = "directed-edges", .n = n, .edges_file = file_.string()};
  }
  std::string refused(int n, const std::string& text) {
    const std::string message = refusal(with(n, text));
    const std::string head =
        "graph directed-edges: the edge list " + file_.string() + " ";
    EXPECT_TRUE(message.starts_with(head)) << message;
    return message.substr(std::min(head.size(), message.size()));
  }

  std::filesystem::path file_;
};

TEST_F(DirectedEdges, SendTheWayTheyAreWritten) {
  const auto schedule = make(with(3, "0 1\n1 2\n2 0\n0 2\n0 1 # again\n"));
  ASSERT_NE(schedule->weights(0), nullptr);
  const auto w = schedule->at({});
  EXPECT_EQ(w->receivers(0), (std::vector<int>{1, 2}));
  EXPECT_EQ(w->receivers(1), (std::vector<int>{2}));
  EXPECT_EQ(w->receivers(2), (std::vector<int>{0}));
  // Shares of 1/3 from worker 0, of 1/2 from the others.
  const VectorXd next = as_vector(*schedule->weights(1));
  EXPECT_NEAR(next[0], 1.0 / 3 + 1.0 / 2, 1e-15);
  EXPECT_NEAR(next[1], 1.0 / 3 + 1.0 / 2, 1e-15);
  EXPECT_NEAR(next[2], 1.0 / 3 + 1.0, 1e-15);
}

TEST_F(DirectedEdges, NeedNoWeightsWhereAllSendAndHearAlike) {
  const auto ring = make(with(5, "0 1\n1 2\n2 3\n3 4\n4 0\n"));
  EXPECT_EQ(ring->weights(0), nullptr);
  EXPECT_TRUE(ring->at({})->is_uniform());
  EXPECT_EQ(make(with(1, ""))->weights(0), nullptr);
}

TEST_F(DirectedEdges, MustLeadFromEverybodyToEverybody) {
  constexpr const char* kReason =
      "; push-sum needs a way from everybody to everybody (n = 4)";
  EXPECT_EQ(
      refused(4, "0 1\n1 2\n2 0\n3 0\n"),
      std::string("has no way from worker 0 to worker 3") + kReason);
  EXPECT_EQ(
      refused(4, "0 1\n1 2\n2 0\n0 3\n"),
      std::string("has no way from worker 3 to worker 0") + kReason);
}

TEST(OnePeerDirected, SendsToOneAndHearsOne) {
  for (const int n : {2, 3, 7, 12, 100}) {
    const auto schedule = make({.name = "one-peer-directed", .n = n});
    int offset = 1;
    for (int64_t step = 0; step < schedule->period(); ++step, offset *= 2) {
      const auto w = schedule->at({.step = step});
      for (int i = 0; i < n; ++i) {
        EXPECT_EQ(w->receivers(i), std::vector<int>{(i + offset) % n});
        EXPECT_EQ(w->degree(i), 1);
      }
    }
    EXPECT_GE(offset, n);
    EXPECT_LT(offset / 2, n);
    EXPECT_EQ(schedule->weights(0), nullptr);
  }
  EXPECT_EQ(make({.name = "one-peer-directed", .n = 1})->period(), 1);
}

TEST(OnePeerDirected, APeriodOfPowersOfTwoIsTheAverage) {
  for (const int n : {2, 4, 16, 64, 1024}) {
    const auto schedule = make({.name = "one-peer-directed", .n = n});
    std::vector<std::shared_ptr<const Mixing>> steps;
    for (int64_t step = 0; step < schedule->period(); ++step)
      steps.push_back(schedule->at({.step = step}));
    EXPECT_LT(distance_from_average(steps), 1e-14) << n;
  }
}

} // namespace
} // namespace grapevine::graph
