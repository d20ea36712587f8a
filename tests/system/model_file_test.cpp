// eval, export and --init: a model's way out of a run and into the next.
#include "system/long_run.h"

#include <bit>
#include <cstdint>
#include <cstring>

namespace grapevine::system {
namespace {

struct ModelFile {
  nlohmann::json header;
  std::string data;
};

// safetensors, as docs/formats.md has it.
ModelFile read_model(const std::string& path) {
  const std::string bytes = cli::read_text(path);
  uint64_t length = 0;
  static_assert(std::endian::native == std::endian::little);
  if (bytes.size() < sizeof length) return {};
  std::memcpy(&length, bytes.data(), sizeof length);
  return {
      nlohmann::json::parse(bytes.substr(sizeof length, length)),
      bytes.substr(sizeof length + length)};
}

Words two_workers(const std::string& out) {
  return small_run("d-ring", out) + "-n 2";
}

// A run and its model, made once; the tests only read them.
struct TrainedModel {
  TrainedModel() : trained(result_of(cli::grapevine(two_workers(run)))) {
    const cli::Answer answer = cli::grapevine({"export", run, file});
    EXPECT_EQ(answer.exit_code, 0) << answer.error;
  }

  cli::Scratch scratch;
  const std::string run = scratch.file("run");
  const std::string file = scratch.file("model.safetensors");
  const nlohmann::json trained;
};

class ModelFiles : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { model_ = std::make_unique<TrainedModel>(); }
  static void TearDownTestSuite() { model_.reset(); }

  cli::Scratch scratch_;
  const std::string& run_ = model_->run;
  const std::string& file_ = model_->file;
  const nlohmann::json& trained_ = model_->trained;

 private:
  static inline std::unique_ptr<TrainedModel> model_;
};

TEST_F(ModelFiles, EvalSaysWhatTrainingSaid) {
  const auto evaluated = result_of(cli::grapevine({"eval", run_, "--json"}));
  for (const char* key :
       {"test_accuracy",
        "averaged_model_accuracy",
        "parameters_sha256",
        "steps",
        "run"}) {
    EXPECT_EQ(evaluated[key], trained_[key]) << key;
  }
  const auto full =
      result_of(cli::grapevine({"eval", run_, "--full", "--json"}));
  EXPECT_EQ(
      full["averaged_model_accuracy"],
      trained_["averaged_model_accuracy"])
      << "which is of the whole test set in any case";
}

TEST_F(ModelFiles, ExportHasPyTorchsNames) {
  const ModelFile model = read_model(file_);
  std::map<std::string, nlohmann::json> shapes;
  size_t bytes = 0;
  for (const auto& [name, tensor] : model.header.items()) {
    if (name == "__metadata__") continue;
    shapes[name] = tensor["shape"];
    EXPECT_EQ(tensor["dtype"], "F32");
    bytes = std::max(bytes, tensor["data_offsets"][1].get<size_t>());
  }
  EXPECT_EQ(bytes, model.data.size());
  ASSERT_EQ(shapes.size(), 6u);
  EXPECT_EQ(shapes["fc1.weight"][0], 128);
  EXPECT_EQ(shapes["fc2.weight"], (std::vector<int>{128, 128}));
  EXPECT_EQ(shapes["fc2.bias"], (std::vector<int>{128}));
  EXPECT_EQ(shapes["fc3.weight"], (std::vector<int>{10, 128}));
  EXPECT_TRUE(shapes.contains("fc1.bias") && shapes.contains("fc3.bias"));
}

TEST_F(ModelFiles, ExportOfBatchNormHasItsBuffers) {
  const std::string run = scratch_.file("resnet");
  const std::string file = scratch_.file("resnet.safetensors");
  result_of(cli::grapevine(
      two_workers(run) + "--model resnet20 --batch 2 --steps 1"));
  ASSERT_EQ(cli::grapevine({"export", run, file}).exit_code, 0);
  const ModelFile model = read_model(file);
  int64_t parameters = 0;
  int buffers = 0;
  for (const auto& [name, tensor] : model.header.items()) {
    if (name == "__metadata__") continue;
    const bool is_buffer = cli::contains(name, "running_");
    buffers += is_buffer;
    int64_t elements = 1;
    for (const int64_t extent : tensor["shape"])
      elements *= extent;
    if (!is_buffer && !name.ends_with("num_batches_tracked")) {
      parameters += elements;
    }
  }
  EXPECT_EQ(buffers, 2 * 19);
  // ResNet20's 269,722, with one channel of colour in the place of three or
  // with all three, as the synthetic data have it.
  EXPECT_TRUE(parameters == 269722 || parameters == 269722 - 2 * 16 * 9)
      << parameters;
}

// A step too small to change a float leaves the parameters as they came.
TEST_F(ModelFiles, InitStartsFromTheFile) {
  const std::string next = scratch_.file("next");
  const std::string copy = scratch_.file("copy.safetensors");
  result_of(cli::grapevine(
      two_workers(next) +
      Words{"--init", file_, "--lr", "1e-35", "--steps", "1"}));
  ASSERT_EQ(cli::grapevine({"export", next, copy}).exit_code, 0);
  EXPECT_EQ(read_model(copy).data, read_model(file_).data);
  const auto evaluated = result_of(cli::grapevine({"eval", next, "--json"}));
  EXPECT_EQ(
      evaluated["averaged_model_accuracy"],
      trained_["averaged_model_accuracy"]);
}

TEST_F(ModelFiles, InitIsTheSameOnEveryTransport) {
  const Words more = {"--init", file_, "--seed", "4"};
  const auto one =
      result_of(cli::grapevine(two_workers(scratch_.file("virtual")) + more));
  const auto gloo = result_of(
      over_gloo(2, small_run("d-ring", scratch_.file("gloo")) + more));
  expect_same_run(gloo, one);
  EXPECT_NE(one["parameters_sha256"], trained_["parameters_sha256"]);
}

TEST_F(ModelFiles, BadInitIsAnsweredBeforeTheRunBegins) {
  const std::string out = scratch_.file("next");
  const std::string cut =
      scratch_.write("cut.safetensors", cli::read_text(file_).substr(0, 5000));
  const std::string text = scratch_.write("notes.txt", "not a model");
  const auto refused = [&](const Words& more, const Words& parts) {
    const cli::Answer answer = cli::grapevine(two_workers(out) + more);
    expect_clear_failure(answer, 2, parts);
    EXPECT_FALSE(std::filesystem::exists(out)) << "left behind";
    std::filesystem::remove_all(out);
  };
  refused({"--init", "/nonexistent"}, {"--init: ", "/nonexistent"});
  refused({"--init", cut}, {"--init: ", cut});
  refused({"--init", text}, {"--init: ", text});
  refused({"--init", file_, "--model", "cnn"}, {"--init: ", "cnn", file_});
}

TEST(ModelFile, OfNoRun) {
  const cli::Scratch scratch;
  const std::string file = scratch.file("model.safetensors");
  cli::expect_refusal({"eval", "/nonexistent"}, "/nonexistent");
  cli::expect_refusal({"export", "/nonexistent", file}, "/nonexistent");
  cli::expect_refusal({"eval", scratch.path().string()}, "run");
  EXPECT_FALSE(std::filesystem::exists(file));
}

} // namespace
} // namespace grapevine::system
