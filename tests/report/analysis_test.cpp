#include "report/analysis.h"
#include "spec/spec_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace grapevine::report {
namespace {

using Flags = std::vector<std::pair<std::string, std::string>>;

// A run with its figures given, as if it had been read.
struct Given {
  std::string preset;
  uint64_t seed;
  double accuracy;
  double degree = 2;
  double gini = 1e-4;
  int n = 16;
  Flags more = {};
  std::string outcome = "completed";
  double bytes = 1000;
};

RunData make(const Given& given) {
  RunData run;
  Flags flags = {
      {"preset", given.preset},
      {"n", std::to_string(given.n)},
      {"seed", std::to_string(given.seed)}};
  flags.insert(flags.end(), given.more.begin(), given.more.end());
  run.spec = spec::parse_spec("", "", flags).spec;
  run.outcome = given.outcome;
  run.accuracy = given.accuracy;
  run.mean_degree = given.degree;
  run.dispersion = {
      {"gini", {given.gini, 2 * given.gini, given.gini, given.gini / 2}}};
  run.milestones = {
      {.step = 9,
       .accuracy = given.accuracy,
       .epoch = 1,
       .seconds = 10,
       .messages = 20,
       .bytes = given.bytes}};
  return run;
}

Analysis analyse(
    const std::vector<Given>& given,
    std::optional<double> target = {}) {
  std::vector<RunData> runs;
  for (const Given& one : given)
    runs.push_back(make(one));
  return analyse(runs, group_runs(runs), target);
}

bool finds(const Analysis& analysis, const std::string& part) {
  return std::ranges::any_of(analysis.findings, [&](const std::string& text) {
    return text.find(part) != std::string::npos;
  });
}

std::string all_of(const Analysis& analysis) {
  std::string text;
  for (const std::string& finding : analysis.findings)
    text += finding + "\n";
  return text;
}

// Four graphs in their order, three seeds, whose own differences are larger
// than those between neighbouring graphs.
std::vector<Given> ordered_graphs() {
  std::vector<Given> runs;
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const double luck = 0.001 * static_cast<double>(seed);
    runs.push_back({"c-complete", seed, 0.850 + luck, 15, 0});
    runs.push_back({"d-complete", seed, 0.851 + luck, 15, 1e-5});
    runs.push_back({"d-exponential", seed, 0.84 + 2 * luck, 4, 2e-5});
    runs.push_back({"d-torus", seed, 0.83 + luck, 4, 3e-5});
    runs.push_back({"d-ring", seed, 0.82 + luck, 2, 9e-5});
  }
  return runs;
}

TEST(Analysis, ConnectionsAndDispersion) {
  const Analysis analysis = analyse(ordered_graphs());
  const Correlation& connections = analysis.correlations.at(0);
  EXPECT_EQ(connections.with, "connections");
  EXPECT_EQ(connections.runs, 12); // the centralized ones stay outside
  EXPECT_EQ(connections.seeds, 3);
  EXPECT_GT(connections.rho, 0.9);
  EXPECT_TRUE(connections.interval.excludes(0));
  EXPECT_TRUE(finds(
      analysis,
      "Accuracy rises with the number of connections (Spearman 0.9"))
      << all_of(analysis);
  EXPECT_TRUE(finds(analysis, "Accuracy falls with the Gini coefficient"))
      << all_of(analysis);
  // Early is twice, late half the mean in every run.
  EXPECT_TRUE(finds(analysis, "4.00 times as large in the first third"))
      << all_of(analysis);
}

// Seeds that differ by more than all graphs do change no rank within a seed.
TEST(Analysis, LuckOfTheSeedDoesNotBlurTheCorrelation) {
  std::vector<Given> runs = ordered_graphs();
  std::erase_if(runs, [](const Given& run) {
    return run.preset == "d-exponential"; // leaves degrees 15, 4, 2
  });
  for (Given& run : runs)
    run.accuracy -= 0.1 * static_cast<double>(run.seed);
  const Correlation connections = analyse(runs).correlations.at(0);
  EXPECT_EQ(connections.with, "connections");
  EXPECT_DOUBLE_EQ(connections.rho, 1);
  EXPECT_DOUBLE_EQ(connections.interval.low, 1);
  EXPECT_DOUBLE_EQ(connections.interval.high, 1);
}

TEST(Analysis, WithOneSeedNothingIsFound) {
  std::vector<Given> runs = ordered_graphs();
  std::erase_if(runs, [](const Given& run) { return run.seed != 1; });
  const Analysis analysis = analyse(runs);
  EXPECT_GT(analysis.correlations.at(0).rho, 0.9);
  EXPECT_FALSE(analysis.correlations.at(0).interval.exists());
  EXPECT_TRUE(analysis.findings.empty()) << all_of(analysis);
  for (const RankingRow& row : analysis.rankings.at(0).rows) {
    EXPECT_EQ(row.not_worse_than_best.has_value(), row.rank == 1);
  }
}

TEST(Analysis, NoiseGivesNoFinding) {
  std::vector<Given> runs;
  const std::vector<double> noise = {3, 1, 2, 1, 3, 2, 2, 3, 1};
  size_t at = 0;
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    for (const auto& [preset, degree] :
         {std::pair("d-complete", 15.0), {"d-torus", 4.0}, {"d-ring", 2.0}}) {
      Given run{preset, seed, 0.8 + 0.01 * noise[at++], degree};
      run.gini = 0; // no spread that could fade
      runs.push_back(run);
    }
  }
  const Analysis analysis = analyse(runs);
  EXPECT_TRUE(analysis.findings.empty()) << all_of(analysis);
  for (const RankingRow& row : analysis.rankings.at(0).rows)
    EXPECT_EQ(row.not_worse_than_best, true);
}

TEST(Analysis, RankingByHand) {
  const Analysis analysis = analyse(
      {{"d-ring", 1, 0.70},
       {"d-ring", 2, 0.72},
       {"ada", 1, 0.80},
       {"ada", 2, 0.82},
       {"d-torus", 1, 0.90},
       {"d-torus", 2, 0.70}});
  ASSERT_EQ(analysis.rankings.size(), 1u);
  const auto& rows = analysis.rankings[0].rows;
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_NEAR(rows[0].accuracy.mean, 0.81, 1e-12);
  EXPECT_NEAR(rows[0].accuracy.sd, std::sqrt(2.0) / 100, 1e-12);
  EXPECT_EQ(rows[1].rank, 2);
  EXPECT_NEAR(rows[1].accuracy.mean, 0.80, 1e-12);
  // -0.1 and 0.12: two seeds cannot tell. The ring is 0.1 behind in both.
  EXPECT_EQ(rows[1].not_worse_than_best, true);
  EXPECT_EQ(rows[2].not_worse_than_best, false);
}

TEST(Analysis, TargetIsTwoPercentBelowTheBest) {
  const Analysis analysis =
      analyse({{"d-ring", 1, 0.70}, {"ada", 1, 0.85}, {"ada", 2, 0.85}});
  EXPECT_DOUBLE_EQ(analysis.target.accuracy, 0.83); // 0.833
  ASSERT_EQ(analysis.target.rows.size(), 2u);
  EXPECT_EQ(analysis.target.rows[0].reached, 0);
  EXPECT_EQ(analysis.target.rows[0].runs, 1);
  EXPECT_EQ(analysis.target.rows[0].bytes_per_worker.count, 0);
  EXPECT_EQ(analysis.target.rows[1].reached, 2);
  EXPECT_EQ(analysis.target.rows[1].bytes_per_worker.mean, 1000);
  EXPECT_DOUBLE_EQ(analyse({{"ada", 1, 0.5}}).target.accuracy, 0.49);
  EXPECT_DOUBLE_EQ(analyse({{"ada", 1, 0.5}}, 0.4).target.accuracy, 0.4);
}

TEST(Analysis, ScaleIsPairedBySeed) {
  std::vector<Given> runs;
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const double luck = 0.02 * static_cast<double>(seed);
    for (const int n : {16, 32, 64}) {
      Given run{"d-ring", seed, 0.9 + luck - 0.001 * n};
      run.accuracy += n == 64 && seed == 2 ? 0.001 : 0;
      run.n = n;
      runs.push_back(run);
    }
  }
  const Analysis analysis = analyse(runs);
  EXPECT_TRUE(finds(
      analysis,
      "From n = 16 to n = 64 the accuracy of d-ring falls by 4.77 points"))
      << all_of(analysis);
}

TEST(Analysis, ScalingOfTheLearningRate) {
  std::vector<Given> runs;
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    runs.push_back({"d-ring", seed, 0.80 + 0.001 * seed});
    runs.back().more = {{"lr-scaling", "sqrt"}};
    runs.push_back({"d-ring", seed, 0.10});
    runs.back().more = {{"lr-scaling", "linear"}};
    runs.back().outcome = "diverged";
  }
  const Analysis analysis = analyse(runs);
  EXPECT_TRUE(finds(analysis, "square root gives d-ring a higher accuracy"))
      << all_of(analysis);
  EXPECT_TRUE(finds(analysis, "3 of 6 runs diverged")) << all_of(analysis);
  EXPECT_TRUE(finds(analysis, "lr-scaling linear: 3 of 3 runs diverged."));
}

TEST(Analysis, AdaAgainstTheOthers) {
  std::vector<Given> runs = ordered_graphs();
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const double wobble = seed == 2 ? 0.001 : -0.001;
    runs.push_back({"ada", seed, 0.851 + 0.001 * seed + wobble, 8, 1e-5});
  }
  const Analysis analysis = analyse(runs);
  ASSERT_EQ(analysis.comparisons.size(), 2u);
  EXPECT_EQ(analysis.comparisons[0].what, "ada against d-complete");
  EXPECT_FALSE(analysis.comparisons[0].difference.interval.excludes(0));
  EXPECT_TRUE(analysis.comparisons[0].sentence.empty());
  EXPECT_TRUE(finds(
      analysis,
      "ada is above the best fixed sparse graph (d-exponential) by"))
      << all_of(analysis);
}

TEST(Analysis, NobodyIsToldOfASavingThatIsNotThere) {
  std::vector<Given> runs;
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    runs.push_back({"c-complete", seed, 0.8});
    runs.back().bytes = 2000;
    runs.push_back({"d-ring", seed, 0.8});
    runs.back().bytes = 2100;
    runs.push_back({"d-torus", seed, 0.8});
    runs.back().bytes = 4000;
  }
  const Analysis dear = analyse(runs);
  EXPECT_TRUE(finds(dear, "Nothing decentralized was shown to reach"))
      << all_of(dear);
  EXPECT_TRUE(finds(dear, "the thriftiest, d-ring, sends 2.1 kB, 1.05 times"))
      << all_of(dear);
  for (Given& run : runs)
    run.bytes = run.preset == "d-ring" ? 1000 + static_cast<double>(run.seed)
                                       : run.bytes;
  const Analysis thrifty = analyse(runs);
  EXPECT_TRUE(finds(
      thrifty,
      "d-ring reaches an accuracy of 0.78 with the fewest bytes a worker: "
      "1 kB, 0.50 times the 2 kB of c-complete"))
      << all_of(thrifty);
}

TEST(Analysis, UnfinishedRunsDoNotCount) {
  std::vector<Given> runs = ordered_graphs();
  for (const std::string outcome : {"running", "interrupted", "failed"}) {
    runs.push_back({"d-ring", 9, 0.01});
    runs.back().outcome = outcome;
  }
  runs.push_back({"d-ring", 9, kNan});
  runs.back().outcome = "diverged";
  const Analysis analysis = analyse(runs);
  EXPECT_EQ(analysis.correlations.at(0).runs, 12);
  for (const RankingRow& row : analysis.rankings.at(0).rows)
    EXPECT_EQ(row.accuracy.count, 3);
}

TEST(Analysis, SeveralStrataHaveAMeanOfTheirs) {
  std::vector<Given> runs;
  for (const int n : {16, 64}) {
    for (Given run : ordered_graphs()) {
      run.n = n;
      run.accuracy -= n == 64 ? 0.3 : 0; // Simpson's trap: scale, not graph
      run.degree *= n == 64 ? 10 : 1;
      runs.push_back(run);
    }
  }
  const Analysis analysis = analyse(runs);
  EXPECT_EQ(analysis.rankings.size(), 2u);
  const auto overall = std::ranges::find_if(
      analysis.correlations,
      [](const Correlation& one) { return !one.stratum; });
  ASSERT_NE(overall, analysis.correlations.end());
  EXPECT_EQ(overall->with, "connections");
  EXPECT_EQ(overall->runs, 24);
  EXPECT_NEAR(overall->rho, analysis.correlations.at(0).rho, 1e-12);
  EXPECT_TRUE(finds(analysis, "At n = 64 accuracy rises"));
  EXPECT_TRUE(finds(analysis, "Over all scales and settings accuracy rises"));
}

TEST(Analysis, OfNothing) {
  const Analysis none = analyse(std::vector<Given>{});
  EXPECT_TRUE(none.findings.empty());
  EXPECT_TRUE(none.target.rows.empty());
  const Analysis failed = analyse(
      {{.preset = "ada", .seed = 1, .accuracy = kNan, .outcome = "failed"}});
  EXPECT_TRUE(failed.rankings.empty());
  EXPECT_TRUE(std::isnan(failed.target.accuracy));
}

} // namespace
} // namespace grapevine::report
