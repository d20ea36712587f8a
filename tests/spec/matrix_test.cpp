#include "spec/matrix.h"

#include "base/error.h"

#include <gtest/gtest.h>

namespace grapevine::spec {
namespace {

using Flags = std::vector<std::pair<std::string, std::string>>;

constexpr const char* kSix =
    "epochs = 3\n"
    "[matrix]\n"
    "seed = [1, 2, 3]\n"
    "preset = [\"d-ring\", \"ada\"]\n";

std::vector<std::string> brief(const Matrix& matrix) {
  std::vector<std::string> names;
  for (const ParsedSpec& run : matrix.runs) {
    names.push_back(
        run.spec.graph + " n" + std::to_string(run.spec.n) + " s" +
        std::to_string(run.spec.seed));
  }
  return names;
}

std::string refusal(const std::string& toml) {
  try {
    parse_matrix(toml, "bench.toml", {});
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Matrix, ProductInFileOrder) {
  const Matrix matrix = parse_matrix(kSix, "bench.toml", {});
  EXPECT_EQ(matrix.varied, (std::vector<std::string>{"seed", "preset"}));
  EXPECT_EQ(
      brief(matrix),
      (std::vector<std::string>{
          "ring n8 s1",
          "ada n8 s1",
          "ring n8 s2",
          "ada n8 s2",
          "ring n8 s3",
          "ada n8 s3"}));
  EXPECT_EQ(matrix.runs[0].spec.epochs, 3);
  EXPECT_EQ(matrix.runs[0].origins.at("seed"), "bench.toml:3");
}

TEST(Matrix, FlagReplacesAnAxis) {
  const Matrix matrix =
      parse_matrix(kSix, "bench.toml", {{"seed", "9"}, {"n", "4"}});
  EXPECT_EQ(matrix.varied, (std::vector<std::string>{"preset"}));
  EXPECT_EQ(
      brief(matrix),
      (std::vector<std::string>{"ring n4 s9", "ada n4 s9"}));
}

TEST(Matrix, ExplicitRunsTimesTheMatrix) {
  const Matrix matrix = parse_matrix(
      "[[runs]]\ngraph = \"ring\"\n[[runs]]\ngraph = \"lattice\"\nk = 6\n"
      "[matrix]\nn = [8, 16]\n",
      "bench.toml",
      {});
  EXPECT_EQ(matrix.varied, (std::vector<std::string>{"graph", "k", "n"}));
  EXPECT_EQ(
      brief(matrix),
      (std::vector<std::string>{
          "ring n8 s1",
          "ring n16 s1",
          "lattice n8 s1",
          "lattice n16 s1"}));
  EXPECT_EQ(matrix.runs[0].spec.k, 0);
  EXPECT_EQ(matrix.runs[2].spec.k, 6);
}

TEST(Matrix, EqualRunsOnce) {
  const Flags flags = {{"graph", "ring"}};
  const Matrix matrix = parse_matrix(
      "[[runs]]\ngraph = \"star\"\n[[runs]]\ngraph = \"ring\"\n",
      "bench.toml",
      flags);
  EXPECT_EQ(matrix.runs.size(), 1u);
  EXPECT_TRUE(matrix.varied.empty());
}

TEST(Matrix, OneRunWithoutAMatrix) {
  EXPECT_EQ(parse_matrix("n = 4", "run.toml", {}).runs.size(), 1u);
}

TEST(Matrix, BadFiles) {
  EXPECT_EQ(
      refusal("[matrix]\nsede = [1]"),
      "bench.toml:2: unknown key 'sede'; did you mean 'seed'?");
  EXPECT_EQ(
      refusal("[matrix]\nseed = 1"),
      "bench.toml:2: seed: expected a list of values, like [1, 2, 3]");
  EXPECT_EQ(
      refusal("[matrix]\nseed = []"),
      "bench.toml:2: seed: expected a list of values, like [1, 2, 3]");
  EXPECT_EQ(
      refusal("[matrix]\nseed = [1, \"two\"]"),
      "bench.toml:2: seed: expected an integer, got the text 'two'");
  EXPECT_EQ(
      refusal("[matrix]\nn = [2, 0]"),
      "bench.toml:2: n: expected an integer from 1 to 4096, got '0'");
  EXPECT_EQ(
      refusal("[matrix]\nlr_scaling = [\"sqrt\"]\nlr-scaling = [\"none\"]"),
      "bench.toml:3: 'lr-scaling' was given before, at bench.toml:2");
  EXPECT_EQ(
      refusal("[matrix]\nseed = [1]\n[[runs]]\nseed = 2"),
      "bench.toml:4: 'seed' is also in [matrix], at bench.toml:2");
  EXPECT_EQ(
      refusal("matrix = 3"),
      "bench.toml:1: 'matrix' is a table: write [matrix]");
  EXPECT_EQ(
      refusal("[runs]\nseed = 1"),
      "bench.toml:1: 'runs' is a list of tables: write [[runs]] before each");
}

// Before anything of that size is made.
TEST(Matrix, OfMoreRunsThanAnybodyMeansIsRefused) {
  std::string list = "[1";
  for (int i = 2; i <= 100; ++i)
    list += ", " + std::to_string(i);
  list += "]\n";
  std::string toml = "[matrix]\nseed = " + list + "epochs = " + list;
  EXPECT_EQ(parse_matrix(toml, "bench.toml", {}).runs.size(), 10'000U);
  for (const char* key : {"batch", "steps", "n", "window", "k"})
    toml += std::string(key) + " = " + list;
  EXPECT_EQ(
      refusal(toml),
      "bench.toml:4: batch: expected a matrix of at most 10000 runs, got more");
}

} // namespace
} // namespace grapevine::spec
