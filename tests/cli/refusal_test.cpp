#include "cli/program_runner.h"

namespace grapevine::cli {
namespace {

TEST(Refusals, Verbs) {
  expect_refusal({"trian"}, "unknown verb 'trian'; did you mean 'train'?");
  expect_refusal(
      {"--lr", "0.1"},
      "unknown option '--lr'; the verb comes first");
  EXPECT_EQ(grapevine({}).exit_code, 2);
}

TEST(Refusals, Flags) {
  expect_refusal(
      {"train", "--grpah", "ring"},
      "unknown option '--grpah'; did you mean '--graph'?");
  expect_refusal(
      {"train", "--epoch=3"},
      "unknown option '--epoch'; did you mean '--epochs'?");
  expect_refusal({"models", "--lr", "1"}, "unknown option '--lr'");
  expect_refusal({"models", "extra"}, "unexpected word 'extra'");
  expect_refusal({"train", "--lr"}, "--lr");
  expect_refusal({"train", "--", "x"}, "unexpected word 'x'");
}

TEST(Refusals, Values) {
  expect_refusal(
      {"train", "--lr", "fast"},
      "--lr: expected a number above 0, got 'fast'");
  expect_refusal({"train", "-n", "0"}, "-n: expected an integer from 1 to");
  expect_refusal({"train", "--momentum", "1"}, "--momentum: expected");
  expect_refusal(
      {"train", "--model", "mpl"},
      "--model: unknown model 'mpl'; did you mean 'mlp'?");
  expect_refusal(
      {"train", "--data", "fashion-mnits"},
      "--data: unknown data 'fashion-mnits'; did you mean 'fashion-mnist'?");
  expect_refusal(
      {"train", "--graph", "rnig"},
      "--graph: unknown graph 'rnig'; did you mean 'ring'?");
  expect_refusal({"train", "--preset", "d-rign"}, "did you mean 'd-ring'?");
  expect_refusal(
      {"train", "--agreement", "allreduce", "--graph", "ring"},
      "its graph is complete, not ring");
}

TEST(Refusals, Shapes) {
  expect_refusal({"train", "--graph", "hypercube", "-n", "6"}, "-n: ");
  expect_refusal(
      {"train", "--graph", "torus", "--rows", "5", "-n", "8"},
      "--rows, -n: ");
  expect_refusal(
      {"train", "--graph", "lattice", "--k", "3", "-n", "8"},
      "--k, -n: ");
  expect_refusal({"graph", "hypercube", "-n", "6"}, "-n: ");
  expect_refusal({"graph", "ring", "-n", "8", "--k", "4"}, "takes no k");
}

TEST(Refusals, Transports) {
  expect_refusal(
      {"train", "--transport", "gloo", "-n", "2"},
      "this one was started alone");
  // Not one worker in silence where the default is eight.
  for (const char* transport : {"mpi", "gloo"}) {
    expect_refusal(
        {"train", "--transport", transport},
        std::string("--transport: 8 workers over ") + transport +
            " are 8 processes, but this one was started alone");
  }
}

TEST(Refusals, Files) {
  const Scratch scratch;
  expect_refusal({"train", "/no/such/run.toml"}, "/no/such/run.toml");
  const std::string key = scratch.write("key.toml", "lr = 0.1\ngrpah = 1\n");
  expect_refusal(
      {"train", key},
      key + ":2: unknown key 'grpah'; did you mean 'graph'?");
  const std::string type = scratch.write("type.toml", "n = \"four\"\n");
  expect_refusal({"train", type}, type + ":1: n: expected an integer");
  const std::string syntax = scratch.write("syntax.toml", "n = = 1\n");
  expect_refusal({"bench", syntax}, syntax + ":1: ");
  const std::string matrix =
      scratch.write("matrix.toml", "[matrix]\nseed = [1]\n");
  expect_refusal({"train", matrix}, "use `grapevine bench");
  const std::string model =
      scratch.write("model.toml", "[matrix]\nmodel = [\"mlp\", \"mpl\"]\n");
  expect_refusal({"bench", model}, model + ":2: model: unknown model 'mpl'");
}

TEST(Refusals, OtherVerbs) {
  expect_refusal({"graph"}, "give the name of a graph");
  expect_refusal(
      {"graph", "rnig", "-n", "8"},
      "unknown graph 'rnig'; did you mean 'ring'?");
  expect_refusal(
      {"graph", "ring", "--model-bytes", "many"},
      "--model-bytes: expected");
  expect_refusal({"graph", "ring", "--step", "-1"}, "--step: expected");
  expect_refusal({"data"}, "say get NAME, bpe FILE… or list");
  expect_refusal({"data", "gte"}, "did you mean 'get'?");
  expect_refusal({"data", "get"}, "say which set");
  expect_refusal({"data", "list", "all"}, "unexpected word 'all'");
  expect_refusal({"data", "bpe"}, "say which text files");
  expect_refusal({"data", "bpe", "/no/such"}, "'/no/such' is not a file");
  expect_refusal(
      {"data", "bpe", "/etc/passwd", "--size", "255", "--out", "x"},
      "--size: expected an integer from 256");
  expect_refusal({"data", "bpe", "/etc/passwd"}, "say --out FILE");
  expect_refusal({"data", "get", "cifra10"}, "did you mean 'cifar10'?");
  expect_refusal({"eval"}, "say which run");
  expect_refusal({"eval", "/no/such/run"}, "/no/such/run: no such directory");
  expect_refusal({"export", "/no/such/run", "x"}, "no such directory");
  expect_refusal({"report"}, "say which runs");
  expect_refusal({"report", "/no/such/run"}, "no such directory");
  expect_refusal({"launch", "--", "models"}, "say how many");
  expect_refusal({"launch", "-n", "2"}, "say what to run");
  expect_refusal(
      {"launch", "-n", "2", "train"},
      "unexpected word 'train'; what to run comes after --");
  expect_refusal({"launch", "-n", "0", "--", "models"}, "-n: expected");
}

TEST(Refusals, VirtualClock) {
  expect_refusal({"train", "--link", "fast"}, "--link: expected RATE");
  expect_refusal(
      {"train", "--compute", "12"},
      "--compute: expected the seconds of a step");
  expect_refusal({"train", "--slow", "3"}, "--slow: expected RANK:FACTOR");
  expect_refusal(
      {"train", "--link", "1gbit"},
      "--link: the virtual clock needs the compute time of a step");
  expect_refusal(
      {"train", "-n", "4", "--compute", "1ms", "--slow", "4:2"},
      "there is no worker 4");
}

} // namespace
} // namespace grapevine::cli
