#include "report/graph_frames.h"
#include "graph/graphs.h"
#include "graph/schedule.h"
#include "spec/spec_table.h"

#include <gtest/gtest.h>

#include <set>

namespace grapevine::report {
namespace {

using Flags = std::vector<std::pair<std::string, std::string>>;

struct Drawn {
  std::vector<GraphFrames> graphs;
  std::vector<std::string> notes;
};

Drawn draw(const Flags& flags, std::vector<DegreeChange> degrees = {}) {
  std::vector<RunData> runs(1);
  runs[0].spec = spec::parse_spec("", "", flags).spec;
  runs[0].steps_per_epoch = 10;
  runs[0].degrees = std::move(degrees);
  Drawn drawn;
  drawn.graphs = graph_frames(runs, group_runs(runs), drawn.notes);
  return drawn;
}

// The edges that a page would draw, both ways unless directed.
std::set<std::pair<int, int>> edges_of(const Frame& frame, int n) {
  std::set<std::pair<int, int>> edges;
  const auto join = [&](int a, int b) {
    if (a == b) return;
    edges.emplace(a, b);
    if (!frame.directed) edges.emplace(b, a);
  };
  for (int i = 0; i < n; ++i) {
    for (const int offset : frame.offsets)
      join(i, (i + offset) % n);
    if (frame.kind != Frame::Kind::kComplete) continue;
    for (int j = 0; j < n; ++j)
      join(i, j);
  }
  for (const auto& [a, b] : frame.edges)
    join(a, b);
  return edges;
}

class EveryGraph : public testing::TestWithParam<std::string> {};

// What is drawn is what is mixed.
TEST_P(EveryGraph, IsDrawnAsItIs) {
  for (const int n : {8, 16}) {
    const auto drawn = draw({{"graph", GetParam()}, {"n", std::to_string(n)}});
    ASSERT_EQ(drawn.graphs.size(), 1u);
    EXPECT_TRUE(drawn.notes.empty());
    const auto schedule =
        graph::make_schedule({.name = GetParam(), .n = n, .seed = 1});
    for (const Frame& frame : drawn.graphs[0].frames) {
      const auto mixing =
          schedule->at({.step = frame.step, .epoch = frame.epoch});
      std::set<std::pair<int, int>> expected;
      for (int i = 0; i < n; ++i) {
        for (const graph::Term& term : mixing->row(i)) {
          if (term.rank != i) expected.emplace(i, term.rank);
        }
      }
      EXPECT_EQ(edges_of(frame, n), expected) << n << " step " << frame.step;
      EXPECT_EQ(frame.degree, mixing->degree());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Names,
    EveryGraph,
    testing::Values(
        "ring",
        "torus",
        "exponential",
        "complete",
        "lattice",
        "hypercube",
        "star",
        "random-regular",
        "one-peer-ring",
        "one-peer-exponential",
        "aer",
        "random-matching"));

TEST(GraphFramesTest, RegularOnesHaveAShortForm) {
  EXPECT_EQ(frame_of(graph::make_ring(1000)).offsets, std::vector<int>{1});
  EXPECT_EQ(
      frame_of(graph::make_lattice(1000, 6)).offsets,
      (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(
      frame_of(graph::make_exponential(12)).offsets,
      (std::vector<int>{1, 2, 4, 8}));
  EXPECT_TRUE(frame_of(graph::make_exponential(12)).directed);
  EXPECT_EQ(frame_of(graph::make_complete(1000)).kind, Frame::Kind::kComplete);
}

TEST(GraphFramesTest, AdaHasAFrameForEveryDegree) {
  const auto drawn = draw({{"graph", "ada"}, {"n", "16"}, {"epochs", "5"}});
  const auto& frames = drawn.graphs.at(0).frames;
  ASSERT_GE(frames.size(), 3u);
  EXPECT_EQ(frames.front().kind, Frame::Kind::kComplete);
  EXPECT_EQ(frames.front().step, 0);
  EXPECT_EQ(frames.back().offsets, std::vector<int>{1});
  EXPECT_EQ(frames.back().epoch, 4);
  EXPECT_EQ(frames.back().step, 40);
  for (size_t i = 1; i < frames.size(); ++i)
    EXPECT_LT(frames[i].degree, frames[i - 1].degree);
}

TEST(GraphFramesTest, AdaAutoIsDrawnFromItsRecords) {
  const auto drawn = draw(
      {{"graph", "ada"}, {"ada", "auto"}, {"n", "16"}},
      {{0, 15}, {12, 6}, {35, 2}});
  const auto& frames = drawn.graphs.at(0).frames;
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(frames[0].kind, Frame::Kind::kComplete);
  EXPECT_EQ(frames[1].offsets, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(frames[1].epoch, 1);
  EXPECT_EQ(frames[2].step, 35);
}

TEST(GraphFramesTest, NeverTooMany) {
  const auto drawn = draw(
      {{"graph", "ada"}, {"ada", "step"}, {"n", "1008"}, {"epochs", "400"}});
  EXPECT_LE(drawn.graphs.at(0).frames.size(), kMostFrames);
  EXPECT_EQ(drawn.graphs.at(0).frames.front().kind, Frame::Kind::kComplete);
  EXPECT_EQ(
      draw({{"graph", "random-matching"}, {"n", "256"}})
          .graphs.at(0)
          .frames.size(),
      kMostFrames);
}

TEST(GraphFramesTest, LargeIrregularOnesAreLeftOutAndSaidSo) {
  const auto drawn = draw({{"graph", "torus"}, {"n", "1008"}});
  EXPECT_TRUE(drawn.graphs.at(0).frames.at(0).edges.empty());
  EXPECT_EQ(drawn.graphs[0].frames[0].degree, 4);
  ASSERT_EQ(drawn.notes.size(), 1u);
  EXPECT_NE(drawn.notes[0].find("1008 workers"), std::string::npos);
}

TEST(GraphFramesTest, WhatCannotBeMadeIsNoted) {
  const auto drawn =
      draw({{"graph", "edges"}, {"edges", "/nowhere/edges"}, {"n", "8"}});
  EXPECT_TRUE(drawn.graphs.empty());
  EXPECT_EQ(drawn.notes.size(), 1u);
}

} // namespace
} // namespace grapevine::report
