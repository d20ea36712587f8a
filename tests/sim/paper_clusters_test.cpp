// The clusters of "From promise to practice", as far as they can be guessed
// (experiments/plan/paper-costs.py): the gains of AER over All-Reduce lie on
// the paper's side of 1 and within a quarter of its figures.
#include "sim/predict.h"

#include "base/error.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace grapevine::sim {
namespace {

struct PaperRow {
  const char* cluster;
  int n;
  double all_reduce; // ms an iteration
  double aer;
};

void PrintTo(const PaperRow& row, std::ostream* out) {
  *out << row.cluster << "-" << row.n;
}

class PaperClusters : public ::testing::TestWithParam<PaperRow> {};

TEST_P(PaperClusters, GainOfAer) {
  const PaperRow& paper = GetParam();
  Query query;
  query.costs = sim::read_costs(fmt::format(
      "{}/plan/paper-{}-{}.json",
      GV_EXPERIMENTS,
      paper.cluster,
      paper.n));
  query.rings = true;
  query.algorithms = {"allreduce", "combine-while-adapt"};
  query.graphs = {"aer"};
  const auto predictions = predict(query, {paper.n});
  ASSERT_EQ(predictions.size(), 2u);
  const double all_reduce = predictions[0].times.seconds;
  const double aer = predictions[1].times.seconds;
  const double gain = all_reduce / aer;
  const double theirs = paper.all_reduce / paper.aer;
  EXPECT_GT(gain, 1);
  EXPECT_NEAR(gain / theirs, 1, 0.25);
  // Not only the quotient.
  EXPECT_NEAR(1e3 * all_reduce / paper.all_reduce, 1, 0.25);
  EXPECT_NEAR(1e3 * aer / paper.aer, 1, 0.25);
}

INSTANTIATE_TEST_SUITE_P(
    All,
    PaperClusters,
    ::testing::Values(
        PaperRow{"t4", 16, 372.5, 312.3},
        PaperRow{"t4", 32, 225.5, 178.8},
        PaperRow{"t4", 64, 167.3, 122.2},
        PaperRow{"a100", 8, 73.0, 61.7},
        PaperRow{"a100", 16, 54.8, 45.8},
        PaperRow{"a100", 32, 51.5, 43.7},
        PaperRow{"a40", 8, 166.1, 122.0},
        PaperRow{"a40", 16, 195.5, 78.9},
        PaperRow{"a40", 32, 188.5, 67.9}));

} // namespace
} // namespace grapevine::sim
