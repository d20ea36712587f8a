#include "test_graphs.h"

#include <unistd.h>
#include <filesystem>
#include <fstream>

namespace grapevine::graph {
namespace {

using Ranks = std::vector<int>;

class Edges : public ::testing::Test {
 protected:
  Edges()
      : file_(
            std::filesystem::temp_directory_path() /
            ("grapevine_edges_" + std::to_string(::getpid()))) {}
  ~Edges() override { std::filesystem::remove(file_); }

  GraphOptions with(int n, const std::string& text) {
    std::ofstream(file_) << text;
    return {.name = "edges", .n = n, .edges_file = file_.string()};
  }
  std::string at_line(int line) const {
    return file_.string() + ":" + std::to_string(line) + ": ";
  }

  std::filesystem::path file_;
};

TEST_F(Edges, ReadsCommentsBlankLinesAndRepeats) {
  const auto w = first_of(
      with(4, "# a path\n\n0 1\n1\t2  # the middle\r\n  2 1\n1 0\n   \n2 3"));
  EXPECT_EQ(ranks_of(w->row(0)), (Ranks{0, 1}));
  EXPECT_EQ(ranks_of(w->row(1)), (Ranks{0, 1, 2}));
  EXPECT_DOUBLE_EQ(w->row(0)[1].weight, 1.0 / 3);
  EXPECT_DOUBLE_EQ(w->row(0)[0].weight, 2.0 / 3);
  EXPECT_FALSE(w->is_uniform());
}

TEST_F(Edges, RegularOnesAreUniform) {
  const auto w = first_of(with(5, "0 1\n1 2\n2 3\n3 4\n4 0\n"));
  EXPECT_TRUE(w->is_uniform());
  EXPECT_EQ(dense(*w), dense(*first_of({.name = "ring", .n = 5})));
}

TEST_F(Edges, OneWorkerNeedsNoEdges) {
  EXPECT_EQ(first_of(with(1, "# nobody else\n"))->degree(), 0);
}

TEST_F(Edges, ErrorsNameFileAndLine) {
  EXPECT_EQ(
      refusal(with(3, "0 1\n\n1 3\n")),
      at_line(3) + "a rank must lie in 0..2 (n = 3), got '3'");
  EXPECT_EQ(
      refusal(with(3, "0 1\n1 -2\n")),
      at_line(2) + "a rank must lie in 0..2 (n = 3), got '-2'");
  EXPECT_EQ(
      refusal(with(3, "0 1x\n")),
      at_line(1) + "a rank must lie in 0..2 (n = 3), got '1x'");
  EXPECT_EQ(
      refusal(with(3, "0 99999999999999999999\n")),
      at_line(1) +
          "a rank must lie in 0..2 (n = 3), got '99999999999999999999'");
  EXPECT_EQ(
      refusal(with(3, "# x\n 1 \n")),
      at_line(2) + "expected two ranks `i j`, got '1'");
  EXPECT_EQ(
      refusal(with(3, "0 1 0.5\n")),
      at_line(1) + "expected two ranks `i j`, got '0 1 0.5'");
  EXPECT_EQ(
      refusal(with(3, "2 2\n")),
      at_line(1) + "worker 2 is joined with itself");
}

TEST_F(Edges, DisconnectedGraphsAreRefused) {
  EXPECT_EQ(
      refusal(with(5, "0 1\n1 3\n2 4\n")),
      "graph edges: the edge list " + file_.string() +
          " does not connect worker 2 with worker 0 (n = 5)");
}

TEST_F(Edges, FilesThatCannotBeReadAreRefused) {
  EXPECT_EQ(
      refusal({.name = "edges", .n = 3, .edges_file = "no/such/file"}),
      "graph edges: the edge list no/such/file cannot be opened");
  EXPECT_EQ(
      refusal({.name = "edges", .n = 3}),
      "graph edges: --edges FILE is missing (one edge `i j` a line)");
  EXPECT_EQ(
      refusal(
          {.name = "edges",
           .n = 3,
           .edges_file = std::filesystem::temp_directory_path().string()}),
      "graph edges: the edge list " +
          std::filesystem::temp_directory_path().string() + " cannot be read");
}

} // namespace
} // namespace grapevine::graph
