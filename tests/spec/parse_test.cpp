#include "base/error.h"
#include "spec/spec_table.h"

#include <gtest/gtest.h>

#include <unistd.h>
#include <filesystem>
#include <fstream>

namespace grapevine::spec {
namespace {

using Flags = std::vector<std::pair<std::string, std::string>>;

std::string refusal(const std::string& toml, const Flags& flags = {}) {
  try {
    validate(parse_spec(toml, "run.toml", flags));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

void expect_in(const std::string& part, const std::string& text) {
  EXPECT_NE(text.find(part), std::string::npos)
      << "'" << part << "' is not in '" << text << "'";
}

TEST(ParseSpec, FileThenFlags) {
  const ParsedSpec parsed = parse_spec(
      "# a run\nlr = 0.1\n\nn = 4\nlr_scaling = \"sqrt\"\neval-full = true\n"
      "bucket-bytes = \"64KiB\"\nlr-steps = [0.25, 0.5]\nclip = 1\n",
      "run.toml",
      {{"lr", "0.2"}, {"graph", "complete"}, {"lr", "0.3"}});
  EXPECT_EQ(parsed.spec.lr, 0.3);
  EXPECT_EQ(parsed.spec.n, 4);
  EXPECT_EQ(parsed.spec.lr_scaling, "sqrt");
  EXPECT_TRUE(parsed.spec.eval_full);
  EXPECT_EQ(parsed.spec.bucket_bytes, 65536);
  EXPECT_EQ(parsed.spec.lr_steps, (std::vector<double>{0.25, 0.5}));
  EXPECT_EQ(parsed.spec.clip, 1);
  EXPECT_EQ(parsed.origins.at("n"), "run.toml:4");
  EXPECT_EQ(parsed.origins.at("lr-scaling"), "run.toml:5");
  EXPECT_EQ(parsed.origins.at("lr"), "--lr");
  EXPECT_EQ(parsed.origins.at("graph"), "--graph");
  EXPECT_EQ(parsed.origins.count("momentum"), 0u);
}

TEST(ParseSpec, WithoutAFile) {
  EXPECT_EQ(to_toml(parse_spec("", "", {}).spec), to_toml(Spec{}));
  EXPECT_EQ(parse_spec("", "", {{"n", "5"}}).origins.at("n"), "-n");
}

TEST(ParseSpec, PresetLiesUnderneath) {
  const Spec plain = parse_spec("preset = \"ada\"", "f", {}).spec;
  EXPECT_EQ(plain.graph, "ada");
  EXPECT_EQ(plain.agreement, "adapt-then-combine");
  const Spec beside =
      parse_spec("graph = \"torus\"\npreset = \"d-ring\"", "f", {}).spec;
  EXPECT_EQ(beside.graph, "torus");
  const Spec later =
      parse_spec("preset = \"d-ring\"", "f", {{"graph", "torus"}}).spec;
  EXPECT_EQ(later.graph, "torus");
}

TEST(ParseSpec, PresetAsAFlagWinsOverTheFile) {
  const ParsedSpec parsed =
      parse_spec(to_toml(Spec{}), "spec.toml", {{"preset", "c-complete"}});
  EXPECT_EQ(parsed.spec.graph, "complete");
  EXPECT_EQ(parsed.spec.agreement, "allreduce");
  EXPECT_EQ(parsed.origins.at("graph"), "--preset");
}

TEST(ParseSpec, AllreduceAloneMeansTheCompleteGraph) {
  EXPECT_EQ(
      parse_spec("", "", {{"agreement", "allreduce"}}).spec.graph,
      "complete");
  expect_in(
      "--graph, --agreement: allreduce averages gradients",
      refusal("", {{"agreement", "allreduce"}, {"graph", "ring"}}));
  expect_in(
      "run.toml:1: graph, --agreement: allreduce",
      refusal("preset = \"d-ring\"", {{"agreement", "allreduce"}}));
}

TEST(ParseSpec, UnknownKeysAndFlags) {
  EXPECT_EQ(
      refusal("lr = 0.1\n\ngrpah = \"ring\"\n"),
      "run.toml:3: unknown key 'grpah'; did you mean 'graph'?");
  EXPECT_EQ(refusal("zzzzzz = 1\n"), "run.toml:1: unknown key 'zzzzzz'");
  EXPECT_EQ(
      refusal("[optimiser]\nlr = 1\n"),
      "run.toml:1: unknown table 'optimiser'; did you mean 'optimizer'?");
  EXPECT_EQ(
      refusal("", {{"epoch", "1"}}),
      "unknown option '--epoch'; did you mean '--epochs'?");
}

TEST(ParseSpec, SyntaxNamesTheLine) {
  expect_in("run.toml:2: ", refusal("lr = 0.1\nn = = 3\n"));
  expect_in("run.toml:2: ", refusal("lr = 0.1\nlr = 0.2\n"));
  // What toml++ says depends on the first letter: of true, false, inf, nan.
  const std::string hint = "; text needs quotes, like model = \"mlp\"";
  for (const char* line :
       {"model = mlp",
        "graph = torus",
        "data = fashion-mnist",
        "data = imdb"}) {
    const std::string message = refusal(std::string("n = 4\n") + line + "\n");
    expect_in("run.toml:2: ", message);
    expect_in(hint, message);
  }
  expect_in(hint, refusal("[matrix]\npreset = [\"ada\", d-ring]\n"));
  for (const char* line : {"n = = 3 # workers", "graph = \"ring\" \"torus\""})
    EXPECT_EQ(refusal(line).find(hint), std::string::npos) << line;
  EXPECT_EQ(
      refusal("lr-scaling = \"sqrt\"\nlr_scaling = \"none\"\n"),
      "run.toml:2: 'lr_scaling' was given before, at run.toml:1");
}

TEST(ParseSpec, WrongTypes) {
  EXPECT_EQ(
      refusal("lr = \"fast\""),
      "run.toml:1: lr: expected a number, got the text 'fast'");
  EXPECT_EQ(
      refusal("graph = 5"),
      "run.toml:1: graph: expected text in quotes, got 5");
  EXPECT_EQ(
      refusal("check = 1"),
      "run.toml:1: check: expected true or false, got 1");
  EXPECT_EQ(
      refusal("lr-steps = 0.5"),
      "run.toml:1: lr-steps: expected a list of numbers, got 0.5");
  EXPECT_EQ(
      refusal("n = [1, 2]"),
      "run.toml:1: n: expected an integer, got a list");
  expect_in(
      "expected an integer from 1 to 4096, got '8.5'",
      refusal("n = 8.5"));
  expect_in("got '8.0'", refusal("n = 8.0"));
  EXPECT_EQ(
      refusal("[lr]\nx = 1"),
      "run.toml:1: lr: expected a number, got a table");
}

TEST(ParseSpec, WrongValues) {
  const std::vector<std::pair<Flags, std::string>> cases = {
      {{{"lr", "x"}}, "--lr: expected a number above 0, got 'x'"},
      {{{"lr", "0"}}, "--lr: expected a number above 0, got '0'"},
      {{{"lr", "nan"}}, "--lr: expected a number above 0, got 'nan'"},
      {{{"n", "0"}}, "-n: expected an integer from 1 to 4096, got '0'"},
      {{{"n", "4097"}}, "-n: expected an integer from 1 to 4096"},
      {{{"n", "99999999999"}}, "-n: expected an integer from 1 to 4096"},
      {{{"batch", "0"}}, "--batch: expected an integer from 1"},
      {{{"epochs", "0"}}, "--epochs: expected an integer from 1"},
      {{{"momentum", "1"}},
       "--momentum: expected a number of at least 0 and below 1, got '1'"},
      {{{"momentum", "-0.1"}}, "--momentum: expected"},
      {{{"seed", "-1"}}, "--seed: expected an integer of at least 0, got '-1'"},
      {{{"gamma", "-2"}}, "--gamma: expected a number of at least 0, got '-2'"},
      {{{"graph", "rnig"}},
       "--graph: unknown graph 'rnig'; did you mean 'ring'?"},
      {{{"preset", "d-rng"}},
       "--preset: unknown preset 'd-rng'; did you mean 'd-ring'?"},
      {{{"optimizer", "adan"}},
       "--optimizer: unknown optimizer 'adan'; did you mean 'adam'?"},
      {{{"beta1", "1"}},
       "--beta1: expected a number of at least 0 and below 1, got '1'"},
      {{{"beta2", "-0.1"}}, "--beta2: expected a number of at least 0"},
      {{{"eps", "0"}}, "--eps: expected a number of at least 1e-30, got '0'"},
      {{{"window", "0"}}, "--window: expected an integer from 1 to 1000000"},
      {{{"lr-scaling", "square"}}, "(allowed: none, linear or sqrt)"},
      {{{"transport", "tcp"}}, "(allowed: virtual, mpi or gloo)"},
      {{{"bucket-bytes", "1TB"}}, "--bucket-bytes: expected bytes from 64"},
      {{{"lr-steps", "0.5,1"}},
       "--lr-steps: expected a number above 0 and below 1, got '1'"},
      {{{"lr-steps", "0.5,0.25"}},
       "--lr-steps: the fractions must be in ascending order"},
      {{{"nesterov", "true"}, {"momentum", "0"}},
       "--nesterov, --momentum: nesterov needs a momentum above 0"},
      {{{"deadline", "0"}}, "--deadline: expected a number above 0"},
      {{{"eval-samples", "0"}},
       "--eval-samples: expected an integer of at least 1"},
      {{{"check", "maybe"}}, "--check: expected true or false, got 'maybe'"},
  };
  for (const auto& [flags, message] : cases) {
    expect_in(message, refusal("", flags));
  }
}

TEST(ParseSpec, MatrixBelongsToBench) {
  EXPECT_EQ(
      refusal("n = 2\n[matrix]\nseed = [1, 2]\n"),
      "run.toml:2: a matrix of runs, where one run is expected; use "
      "`grapevine bench run.toml`");
}

TEST(Validate, DefaultsAndPresets) {
  EXPECT_EQ(refusal(""), "accepted");
  for (const Preset& preset : preset_table()) {
    EXPECT_EQ(refusal("", {{"preset", preset.name}, {"n", "9"}}), "accepted")
        << preset.name;
  }
}

TEST(Validate, WhatARunWroteIsAccepted) {
  for (const Preset& preset : preset_table()) {
    const ParsedSpec parsed = parse_spec("", "", {{"preset", preset.name}});
    EXPECT_EQ(refusal(to_toml(parsed.spec)), "accepted") << preset.name;
  }
}

TEST(Validate, OptionsOfOtherGraphs) {
  EXPECT_EQ(
      refusal("", {{"graph", "ring"}, {"k", "4"}}),
      "--k: the graph 'ring' takes no k (it is for lattice or "
      "random-regular)");
  expect_in(
      "run.toml:1: rows: the graph 'ring' takes no rows",
      refusal("rows = 2"));
}

TEST(Validate, OptionsOfOtherOptimizers) {
  EXPECT_EQ(
      refusal("", {{"optimizer", "adamw"}, {"momentum", "0.5"}}),
      "--momentum: the optimizer 'adamw' takes no momentum (it is for sgd)");
  expect_in(
      "--nesterov: the optimizer 'adam' takes no nesterov",
      refusal("", {{"optimizer", "adam"}, {"nesterov", "true"}}));
  EXPECT_EQ(
      refusal("window = 8", {{"optimizer", "adam"}}),
      "run.toml:1: window: the optimizer 'adam' takes no window (it is for "
      "accumadam or accumadamw)");
  expect_in(
      "--beta2: the optimizer 'sgd' takes no beta2 (it is for adam, adamw,",
      refusal("", {{"beta2", "0.98"}}));
  EXPECT_EQ(
      refusal(
          "",
          {{"optimizer", "accumadamw"},
           {"beta1", "0.9"},
           {"beta2", "0.98"},
           {"eps", "1e-9"},
           {"window", "8"},
           {"momentum", "0.9"},
           {"weight-decay", "0.1"}}),
      "accepted");
}

TEST(ParseSpec, TheLearningRateSuitsTheOptimizerUnlessGiven) {
  EXPECT_EQ(parse_spec("", "", {}).spec.lr, 0.05);
  EXPECT_EQ(parse_spec("", "", {{"optimizer", "accumadam"}}).spec.lr, 0.001);
  EXPECT_EQ(
      parse_spec("lr = 0.05", "f", {{"optimizer", "adam"}}).spec.lr,
      0.05);
}

// A file that is removed at the end.
class EdgeFile {
 public:
  explicit EdgeFile(const std::string& text)
      : path_(
            std::filesystem::temp_directory_path() /
            ("grapevine_spec_edges_" + std::to_string(::getpid()))) {
    std::ofstream(path_) << text;
  }
  ~EdgeFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST(Validate, LopsidedGraphsAreForPushSum) {
  const EdgeFile file("0 1\n1 2\n2 0\n0 2\n");
  const auto with = [&](const std::string& agreement) {
    return refusal(
        "",
        {{"graph", "directed-edges"},
         {"edges", file.path()},
         {"n", "3"},
         {"agreement", agreement}});
  };
  expect_in(
      "--graph, --agreement: graph directed-edges is not doubly stochastic",
      with("adapt-then-combine"));
  expect_in("use --agreement push-sum", with("combine-while-adapt"));
  EXPECT_EQ(with("push-sum"), "accepted");
  EXPECT_EQ(with("push-sum-overlapped"), "accepted");
}

TEST(Validate, GradientTrackingIsNotClipped) {
  expect_in(
      "--clip, --agreement: gradient-tracking tracks the mean",
      refusal("", {{"agreement", "gradient-tracking"}, {"clip", "1"}}));
  EXPECT_EQ(
      refusal("", {{"agreement", "gradient-tracking"}, {"graph", "torus"}}),
      "accepted");
}

TEST(Validate, AlphaIsForDirichlet) {
  expect_in(
      "--alpha: for split = dirichlet only, not for class",
      refusal("", {{"split", "class"}, {"alpha", "0.5"}}));
  expect_in(
      "expected a number above 0",
      refusal("", {{"split", "dirichlet"}, {"alpha", "0"}}));
  EXPECT_EQ(
      refusal("", {{"split", "dirichlet"}, {"alpha", "0.5"}}),
      "accepted");
}

TEST(Validate, CutoutIsForItsAugmentation) {
  expect_in(
      "--cutout: for augment = crop-flip-cutout only, not for crop-flip",
      refusal("", {{"augment", "crop-flip"}, {"cutout", "8"}}));
  EXPECT_EQ(
      refusal("", {{"augment", "crop-flip-cutout"}, {"cutout", "8"}}),
      "accepted");
  expect_in("crop-flip", refusal("", {{"augment", "crop"}}));
}

TEST(Validate, ByFileThereIsNoPartialStep) {
  expect_in(
      "use partial = drop",
      refusal("", {{"split", "file"}, {"partial", "keep"}}));
  EXPECT_EQ(refusal("", {{"split", "file"}}), "accepted");
}

TEST(Validate, AdaAutoKnowsNoStepAhead) {
  expect_in(
      "push-sum-overlapped sends a step ahead",
      refusal(
          "",
          {{"preset", "ada-auto"}, {"agreement", "push-sum-overlapped"}}));
}

TEST(Validate, ImpossibleShapesNameTheirOrigin) {
  expect_in(
      "--rows, -n: ",
      refusal("", {{"graph", "torus"}, {"rows", "5"}, {"n", "8"}}));
  expect_in("-n: ", refusal("", {{"graph", "hypercube"}, {"n", "6"}}));
  expect_in(
      "--k, -n: ",
      refusal("", {{"graph", "lattice"}, {"k", "9"}, {"n", "8"}}));
  expect_in("run.toml:2: k: ", refusal("graph = \"lattice\"\nk = 3\n"));
  expect_in("--graph: ", refusal("", {{"graph", "edges"}}));
  expect_in(
      "--edges: ",
      refusal("", {{"graph", "edges"}, {"edges", "/no/such/file"}}));
}

} // namespace
} // namespace grapevine::spec
