// The tables of eigenvalues and A2CiD2 constants, period products, and dense
// linear algebra as a second opinion.
#include "graph/spectrum.h"

#include "graph/cyclic_schedule.h"
#include "test_graphs.h"

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>

#include <algorithm>
#include <cmath>

namespace grapevine::graph {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

Spectrum spectrum_of(const GraphOptions& options) {
  return analyse(*make_schedule(options));
}

double second_of(const GraphOptions& options) {
  return spectrum_of(options).second_eigenvalue;
}

TEST(Spectrum, SecondEigenvaluesOfTheTable) {
  struct Row {
    int n;
    double ring, torus, exponential, k4, k6, k10, k20;
  };
  const std::vector<Row> table = {
      {12, 0.910684, 0.600000, 0.600000, 0.746410, 0.533150, 0.090909, -1},
      {24,
       0.977284,
       0.800000,
       0.666667,
       0.932780,
       0.868302,
       0.690523,
       0.139612},
      {48,
       0.994297,
       0.882843,
       0.714286,
       0.982948,
       0.966071,
       0.916478,
       0.714095},
      {96,
       0.998573,
       0.946410,
       0.750000,
       0.995722,
       0.991454,
       0.978717,
       0.923290},
      {1008,
       0.999987,
       0.993923,
       0.818182,
       0.999961,
       0.999922,
       0.999806,
       0.999288},
  };
  for (const Row& row : table) {
    const int n = row.n;
    SCOPED_TRACE(n);
    EXPECT_NEAR(second_of({.name = "ring", .n = n}), row.ring, 6e-7);
    EXPECT_NEAR(second_of({.name = "torus", .n = n}), row.torus, 6e-7);
    EXPECT_NEAR(
        second_of({.name = "exponential", .n = n}),
        row.exponential,
        6e-7);
    const auto lattice = [&](int k) {
      return second_of({.name = "lattice", .n = n, .k = k});
    };
    EXPECT_NEAR(lattice(4), row.k4, 6e-7);
    EXPECT_NEAR(lattice(6), row.k6, 6e-7);
    EXPECT_NEAR(lattice(10), row.k10, 6e-7);
    if (row.k20 >= 0) {
      EXPECT_NEAR(lattice(20), row.k20, 6e-7);
    }
    EXPECT_EQ(second_of({.name = "complete", .n = n}), 0);
  }
}

TEST(Spectrum, DegreesAndGap) {
  EXPECT_EQ(spectrum_of({.name = "ring", .n = 12}).degree, 2);
  EXPECT_EQ(spectrum_of({.name = "torus", .n = 12}).degree, 4);
  EXPECT_EQ(spectrum_of({.name = "exponential", .n = 12}).degree, 4);
  EXPECT_EQ(spectrum_of({.name = "star", .n = 12}).degree, 11);
  EXPECT_EQ(spectrum_of({.name = "one-peer-ring", .n = 12}).degree, 1);
  // 4 nodes of 2: 1 inside, 3 across, in turn.
  EXPECT_EQ(
      spectrum_of({.name = "aer", .n = 8, .workers_per_node = 2}).degree,
      2);
  const auto ring = spectrum_of({.name = "ring", .n = 12});
  EXPECT_EQ(ring.spectral_gap, 1 - ring.second_eigenvalue);
}

TEST(Spectrum, A2cid2ConstantsOfTheTable) {
  struct Row {
    std::string name;
    int n;
    double chi1, chi2, eta, alpha_tilde;
  };
  const std::vector<Row> table = {
      {"ring", 4, 1.000000, 0.750000, 0.577350, 0.577350},
      {"ring", 8, 3.414214, 0.875000, 0.289281, 0.987669},
      {"ring", 16, 13.137071, 0.937500, 0.142474, 1.871689},
      {"ring", 32, 52.043434, 0.968750, 0.070418, 3.664773},
      {"ring", 64, 207.672531, 0.984375, 0.034970, 7.262385},
      {"exponential", 16, 2.000000, 1.009659, 0.351858, 0.703716},
      {"exponential", 64, 3.000000, 1.024076, 0.285262, 0.855785},
  };
  for (const Row& row : table) {
    SCOPED_TRACE(row.name + ' ' + std::to_string(row.n));
    const auto s = spectrum_of({.name = row.name, .n = row.n});
    EXPECT_NEAR(s.chi1.value(), row.chi1, 6e-7);
    EXPECT_NEAR(s.chi2.value(), row.chi2, 6e-7);
    EXPECT_NEAR(s.eta.value(), row.eta, 6e-7);
    EXPECT_NEAR(s.alpha_tilde.value(), row.alpha_tilde, 6e-7);
  }
}

TEST(Spectrum, A2cid2ConstantsOfTheCompleteGraph) {
  for (const int n : {2, 3, 4, 16, 97, 4096}) {
    const auto s = spectrum_of({.name = "complete", .n = n});
    EXPECT_NEAR(s.chi1.value(), (n - 1.0) / n, 1e-12);
    EXPECT_NEAR(s.chi2.value(), (n - 1.0) / n, 1e-12);
    EXPECT_NEAR(s.eta.value(), n / (2.0 * (n - 1)), 1e-12);
    EXPECT_NEAR(s.alpha_tilde.value(), 0.5, 1e-12);
  }
}

TEST(Spectrum, OneWorkerHasNoConstants) {
  for (const std::string name :
       {"ring", "star", "ada", "one-peer-exponential", "random-matching"}) {
    const auto s = spectrum_of({.name = name, .n = 1});
    EXPECT_EQ(s.degree, 0);
    EXPECT_EQ(s.second_eigenvalue, 0);
    EXPECT_FALSE(s.chi1 || s.chi2 || s.eta || s.alpha_tilde);
  }
}

TEST(Spectrum, DisconnectedGraphsHaveNone) {
  for (auto& mixing :
       {Mixing::lattice(6, 0), Mixing::groups(6, {{0, 1, 2}, {3, 4, 5}})}) {
    const auto s = analyse(*make_static(mixing));
    EXPECT_EQ(s.second_eigenvalue, 1);
    EXPECT_FALSE(s.chi1 || s.chi2 || s.eta || s.alpha_tilde);
  }
}

MatrixXd product(const Schedule& schedule, int64_t first, int64_t steps) {
  MatrixXd p = MatrixXd::Identity(schedule.n(), schedule.n());
  for (int64_t s = first; s < first + steps; ++s) {
    p = dense(*schedule.at({.step = s})) * p;
  }
  return p;
}

double distance(const MatrixXd& p) {
  const MatrixXd rest = p.array() - 1.0 / static_cast<double>(p.rows());
  return Eigen::JacobiSVD<MatrixXd>(rest).singularValues()[0];
}

TEST(PeriodProduct, IsTheAverageForExponentialAndAer) {
  std::vector<GraphOptions> list = {
      {.name = "one-peer-exponential", .n = 2},
      {.name = "one-peer-exponential", .n = 64},
      {.name = "one-peer-exponential", .n = 4096},
      {.name = "aer", .n = 8, .workers_per_node = 2},
      {.name = "aer", .n = 16},
      {.name = "aer", .n = 24, .workers_per_node = 3},
      {.name = "aer", .n = 96, .workers_per_node = 12},
      {.name = "aer", .n = 4096, .workers_per_node = 8},
  };
  for (const auto& options : list) {
    SCOPED_TRACE(options.name + ' ' + std::to_string(options.n));
    const auto schedule = make(options);
    EXPECT_LT(analyse(*schedule).second_eigenvalue, 1e-14);
    if (options.n > 100) continue;
    EXPECT_LT(distance(product(*schedule, 0, schedule->period())), 1e-14);
  }
}

TEST(PeriodProduct, OfAerIsNotTheAverageFromAnOddStep) {
  const auto schedule = make({.name = "aer", .n = 8, .workers_per_node = 2});
  const MatrixXd p = product(*schedule, 1, schedule->period());
  EXPECT_GT(distance(p), 0.1);
  // Though nilpotent but for the average: its eigenvalues vanish.
  const MatrixXd rest = p.array() - 1.0 / 8;
  EXPECT_LT((rest * rest * rest * rest).norm(), 1e-14);
}

TEST(PeriodProduct, AgreesWithDenseNorms) {
  for (const auto& options : std::vector<GraphOptions>{
           {.name = "one-peer-ring", .n = 4},
           {.name = "one-peer-ring", .n = 10},
           {.name = "one-peer-ring", .n = 48},
           {.name = "random-matching", .n = 5},
           {.name = "random-matching", .n = 12}}) {
    const auto schedule = make(options);
    const int steps = schedule->sample_steps();
    EXPECT_NEAR(
        analyse(*schedule).second_eigenvalue,
        distance(product(*schedule, 0, steps)),
        1e-12)
        << options.name << ' ' << options.n;
  }
}

// The definitions, by dense matrices.
void expect_as_dense(const Schedule& schedule) {
  const auto w = schedule.at({});
  const int n = w->n();
  const MatrixXd matrix = dense(*w);
  const MatrixXd rest = matrix.array() - 1.0 / n;
  const auto s = analyse(schedule);
  EXPECT_NEAR(
      s.second_eigenvalue,
      Eigen::EigenSolver<MatrixXd>(rest).eigenvalues().cwiseAbs().maxCoeff(),
      1e-10);

  MatrixXd count = (matrix.array() > 0).cast<double>();
  count.diagonal().setZero();
  count = MatrixXd(count + count.transpose());
  const VectorXd total = count.rowwise().sum();
  MatrixXd laplacian = MatrixXd::Zero(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const double rate = count(i, j) / std::max(total[i], total[j]);
      laplacian(i, j) -= rate;
      laplacian(i, i) += rate;
    }
  }
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(laplacian);
  EXPECT_NEAR(s.chi1.value() * solver.eigenvalues()[1], 1, 1e-10);
  const MatrixXd inverse =
      (laplacian + MatrixXd::Constant(n, n, 1.0 / n)).inverse();
  double chi2 = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      if (count(i, j) == 0) continue;
      chi2 = std::max(
          chi2,
          (inverse(i, i) + inverse(j, j) - 2 * inverse(i, j)) / 2);
    }
  }
  EXPECT_NEAR(s.chi2.value(), chi2, 1e-10);
}

TEST(Spectrum, AgreesWithDenseLinearAlgebra) {
  for (const int n : {2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 24, 30, 31, 32}) {
    std::vector<GraphOptions> list = {
        {.name = "ring", .n = n},
        {.name = "torus", .n = n},
        {.name = "exponential", .n = n},
        {.name = "lattice", .n = n},
        {.name = "star", .n = n},
        {.name = "random-regular", .n = n, .seed = 1},
        {.name = "ada", .n = n, .k0 = std::max(2, n / 2)},
    };
    if ((n & (n - 1)) == 0) list.push_back({.name = "hypercube", .n = n});
    for (const auto& options : list) {
      SCOPED_TRACE(options.name + ' ' + std::to_string(n));
      expect_as_dense(*make(options));
    }
  }
}

TEST(Spectrum, AgreesWithDenseLinearAlgebraOnIrregularGraphs) {
  // A path and a triangle with a tail; a directed graph without symmetry.
  expect_as_dense(*make_static(Mixing::metropolis({{1}, {0, 2}, {1, 3}, {2}})));
  expect_as_dense(*make_static(
      Mixing::metropolis({{1, 2}, {0, 2}, {0, 1, 3}, {2, 4}, {3}})));
  expect_as_dense(
      *make_static(Mixing::uniform({{1, 2}, {0, 3}, {3, 4}, {4, 0}, {1, 2}})));
}

TEST(Spectrum, BadGraphsAreResolvedToTheirGap) {
  // A path of 700: the gap is (2/3)(1 - cos(pi/n)), about 7e-6.
  constexpr int n = 700;
  std::vector<std::vector<int>> path(n);
  for (int i = 0; i + 1 < n; ++i) {
    path[i].push_back(i + 1);
    path[i + 1].push_back(i);
  }
  const auto s = analyse(*make_static(Mixing::metropolis(std::move(path))));
  const double gap = 2.0 / 3 * (1 - std::cos(M_PI / n));
  EXPECT_NEAR(s.spectral_gap / gap, 1, 1e-8);
  // Rates are 1/2 along a path, so 1/2 of the resistance 1/rate is 1.
  EXPECT_NEAR(s.chi2.value(), 1, 1e-8);
}

TEST(Spectrum, ChisOfSchedulesAreThoseOfTheirEdges) {
  const auto expect_same = [](GraphOptions a, GraphOptions b) {
    const auto x = spectrum_of(a);
    const auto y = spectrum_of(b);
    EXPECT_NEAR(x.chi1.value(), y.chi1.value(), 1e-9);
    EXPECT_NEAR(x.chi2.value(), y.chi2.value(), 1e-9);
  };
  expect_same({.name = "one-peer-ring", .n = 16}, {.name = "ring", .n = 16});
  expect_same(
      {.name = "one-peer-exponential", .n = 32},
      {.name = "hypercube", .n = 32});
  expect_same(
      {.name = "aer", .n = 12, .workers_per_node = 12},
      {.name = "complete", .n = 12});
}

TEST(Spectrum, StarHasAGapOfOneOverN) {
  for (const int n : {3, 10, 300, 4096}) {
    const auto s = spectrum_of({.name = "star", .n = n});
    EXPECT_NEAR(s.spectral_gap, 1.0 / n, 1e-12);
    EXPECT_NEAR(s.chi1.value() / (n - 1), 1, 1e-9);
  }
}

TEST(Spectrum, ClosedFormsHoldAtFullSize) {
  const double turn = 2 * M_PI / 4096;
  // Two projections, whose smallest principal angle is a turn.
  EXPECT_NEAR(
      second_of({.name = "one-peer-ring", .n = 4096}),
      std::cos(turn),
      1e-10);
  EXPECT_NEAR(
      second_of({.name = "ring", .n = 4096}),
      (1 + 2 * std::cos(turn)) / 3,
      1e-12);
  EXPECT_NEAR(second_of({.name = "hypercube", .n = 4096}), 1 - 2.0 / 13, 1e-12);
  EXPECT_NEAR(
      second_of({.name = "torus", .n = 4096}),
      (3 + 2 * std::cos(2 * M_PI / 64)) / 5,
      1e-12);
  EXPECT_LT(second_of({.name = "lattice", .n = 4096, .k = 4094}), 1e-3);
}

} // namespace
} // namespace grapevine::graph
