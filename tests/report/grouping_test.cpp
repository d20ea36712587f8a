#include "report/grouping.h"
#include "spec/spec_table.h"

#include <gtest/gtest.h>

namespace grapevine::report {
namespace {

using Flags = std::vector<std::pair<std::string, std::string>>;

RunData run(const Flags& flags) {
  RunData run;
  run.spec = spec::parse_spec("", "", flags).spec;
  return run;
}

std::vector<std::string> labels(const Grouping& grouping) {
  std::vector<std::string> labels;
  for (const Group& group : grouping.groups)
    labels.push_back(group.label);
  return labels;
}

TEST(Grouping, ByEverythingButTheSeed) {
  const std::vector<RunData> runs = {
      run({{"preset", "ada"}, {"n", "16"}, {"seed", "1"}}),
      run({{"preset", "d-ring"}, {"n", "16"}, {"seed", "1"}}),
      run({{"preset", "ada"}, {"n", "16"}, {"seed", "2"}}),
      run({{"preset", "c-complete"}, {"n", "16"}, {"seed", "1"}})};
  const Grouping grouping = group_runs(runs);
  EXPECT_EQ(grouping.keys, (std::vector<std::string>{"preset", "seed"}));
  EXPECT_EQ(
      labels(grouping),
      (std::vector<std::string>{"ada", "d-ring", "c-complete"}));
  EXPECT_EQ(grouping.groups[0].runs, (std::vector<int>{0, 2}));
  EXPECT_EQ(grouping.group_of, (std::vector<int>{0, 1, 0, 2}));
  EXPECT_EQ(grouping.labels[2], "ada seed 2");
  EXPECT_TRUE(grouping.groups[0].decentralized);
  EXPECT_FALSE(grouping.groups[2].decentralized);
  EXPECT_TRUE(grouping.groups[0].stratum.empty());
  EXPECT_EQ(value_of(grouping.common, "n"), "16");
  EXPECT_EQ(value_of(grouping.common, "seed"), "");
  EXPECT_EQ(value_of(grouping.common, "graph"), "");
}

TEST(Grouping, StrataAreWhatIsNoImplementation) {
  const Grouping grouping = group_runs(
      {run({{"preset", "ada"}, {"n", "16"}, {"lr-scaling", "sqrt"}}),
       run({{"preset", "ada"}, {"n", "32"}, {"lr-scaling", "linear"}}),
       run({{"graph", "lattice"}, {"k", "4"}, {"n", "16"}}),
       run({{"graph", "lattice"}, {"k", "6"}, {"n", "16"}})});
  EXPECT_EQ(
      labels(grouping),
      (std::vector<std::string>{
          "ada n 16 lr-scaling sqrt",
          "ada n 32 lr-scaling linear",
          "lattice k 4 n 16 lr-scaling none",
          "lattice k 6 n 16 lr-scaling none"}));
  EXPECT_EQ(
      grouping.groups[0].stratum,
      (Choices{{"n", "16"}, {"lr-scaling", "sqrt"}}));
  EXPECT_EQ(grouping.groups[2].stratum, grouping.groups[3].stratum);
  EXPECT_NE(
      grouping.groups[2].implementation,
      grouping.groups[3].implementation);
}

TEST(Grouping, OptionsOfAnImplementationTellGroupsApart) {
  const Grouping grouping = group_runs(
      {run({{"preset", "ada"}, {"n", "16"}}),
       run({{"preset", "ada"}, {"n", "16"}, {"k0", "8"}})});
  EXPECT_EQ(labels(grouping), (std::vector<std::string>{"ada", "ada k0 8"}));
  EXPECT_TRUE(grouping.groups[1].stratum.empty());
}

// A preset whose graph was replaced does not name the run any more.
TEST(Grouping, APresetSaysWhetherThereIsAMomentum) {
  const Grouping grouping =
      group_runs({run({{"preset", "ad-psgd"}}), run({{"preset", "a2cid2"}})});
  EXPECT_EQ(grouping.keys, std::vector<std::string>{"preset"});
  EXPECT_EQ(labels(grouping), (std::vector<std::string>{"ad-psgd", "a2cid2"}));
}

TEST(Grouping, APresetThatWasOverridden) {
  const Grouping grouping = group_runs(
      {run({{"preset", "d-ring"}, {"n", "16"}}),
       run({{"preset", "d-ring"}, {"graph", "torus"}, {"n", "16"}})});
  EXPECT_EQ(labels(grouping), (std::vector<std::string>{"d-ring", "torus"}));
  EXPECT_EQ(grouping.keys, std::vector<std::string>{"graph"});
}

TEST(Grouping, TheAgreementIsNamedWhereItDiffers) {
  const Grouping grouping = group_runs(
      {run({{"agreement", "allreduce"}, {"n", "16"}}),
       run({{"graph", "torus"}, {"n", "16"}})});
  EXPECT_EQ(
      labels(grouping),
      (std::vector<std::string>{"allreduce", "adapt-then-combine torus"}));
}

TEST(Grouping, WhatDoesNotDecideIsNoDifference) {
  const Grouping grouping = group_runs(
      {run({{"threads", "1"}, {"out", "a"}}),
       run({{"threads", "2"}, {"out", "b"}})});
  EXPECT_TRUE(grouping.keys.empty());
  EXPECT_EQ(grouping.groups.size(), 1u);
}

TEST(Grouping, OfNoneAndOfOne) {
  EXPECT_TRUE(group_runs({}).groups.empty());
  const Grouping one = group_runs({run({{"preset", "ada"}})});
  EXPECT_TRUE(one.keys.empty());
  EXPECT_EQ(labels(one), std::vector<std::string>{"ada"});
}

TEST(SortRuns, NumbersBySizeAndPresetsAsDocumented) {
  std::vector<RunData> runs = {
      run({{"preset", "ada"}, {"n", "96"}}),
      run({{"preset", "d-ring"}, {"n", "192"}}),
      run({{"preset", "ada"}, {"n", "192"}}),
      run({{"preset", "ada"}, {"n", "24"}}),
      run({{"preset", "c-complete"}, {"n", "96"}})};
  sort_runs(runs);
  std::vector<std::string> order;
  for (const RunData& one : runs)
    order.push_back(one.spec.preset + " " + std::to_string(one.spec.n));
  EXPECT_EQ(
      order,
      (std::vector<std::string>{
          "c-complete 96",
          "d-ring 192",
          "ada 24",
          "ada 96",
          "ada 192"}));
}

} // namespace
} // namespace grapevine::report
