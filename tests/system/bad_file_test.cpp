// Data and run directories with missing, truncated and corrupt files.
#include "system/long_run.h"
#include "system/run_records.h"

namespace grapevine::system {
namespace {

namespace fs = std::filesystem;

Words on_fashion_mnist(const std::string& data, const std::string& out) {
  return split("train --json --quiet --data fashion-mnist -n 2 --steps 1") +
         Words{"--data-dir", data, "--out", out};
}

TEST(BadData, Directory) {
  const cli::Scratch scratch;
  const std::string out = scratch.file("run");
  expect_clear_failure(
      cli::grapevine(on_fashion_mnist("/nonexistent", out)),
      2,
      {"/nonexistent"});
  const std::string file = scratch.write("file", "");
  expect_clear_failure(cli::grapevine(on_fashion_mnist(file, out)), 2, {file});
  fs::create_directory(scratch.path() / "empty");
  expect_clear_failure(
      cli::grapevine(on_fashion_mnist(scratch.file("empty"), out)),
      1,
      {"train-images", scratch.file("empty")});
  EXPECT_FALSE(fs::exists(out));
}

TEST(BadData, Files) {
  const std::string right_header(
      "\0\0\x08\x03\0\0\xea\x60\0\0\0\x1c\0\0\0\x1c",
      16);
  const std::string name = "train-images-idx3-ubyte";
  const std::vector<std::pair<std::string, std::string>> contents = {
      {"empty", ""},
      {"cut in the header", right_header.substr(0, 10)},
      {"cut behind it", right_header + std::string(1000, 'x')},
      {"something else", std::string(5000, 'x')}};
  for (const auto& [what, bytes] : contents) {
    SCOPED_TRACE(what);
    const cli::Scratch scratch;
    scratch.write(name, bytes);
    expect_clear_failure(
        cli::grapevine(
            on_fashion_mnist(scratch.path().string(), scratch.file("run"))),
        1,
        {name});
    EXPECT_FALSE(fs::exists(scratch.file("run")));
  }
  const cli::Scratch scratch;
  scratch.write(name + ".gz", "\x1f\x8b\x08 not really");
  expect_clear_failure(
      cli::grapevine(
          on_fashion_mnist(scratch.path().string(), scratch.file("run"))),
      1,
      {name + ".gz"});
}

void cut(const fs::path& file, double part) {
  fs::resize_file(
      file,
      static_cast<uintmax_t>(part * static_cast<double>(fs::file_size(file))));
}

void flip_a_bit(const fs::path& file) {
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  const auto middle = static_cast<std::streamoff>(fs::file_size(file) / 2);
  stream.seekg(middle);
  const int byte = stream.get();
  stream.seekp(middle);
  stream.put(static_cast<char>(byte ^ 4));
}

void overwrite(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::trunc) << text;
}

// A run that was killed when it had two checkpoints, copied for every test.
class BadRun : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    original_ = std::make_unique<cli::Scratch>();
    const std::string out = original_->file("run");
    Process process(alone(long_virtual_run(out)));
    wait_for_checkpoint(process, out, 9);
    process.kill_tree();
    process.wait();
  }
  static void TearDownTestSuite() { original_.reset(); }

  void SetUp() override {
    fs::copy(original_->file("run"), run_, fs::copy_options::recursive);
    const auto steps = checkpoint_steps(run_);
    ASSERT_GE(steps.size(), 2u);
    for (const int step : steps) {
      checkpoints_.push_back(checkpoint_folder(run_, step));
    }
  }

  static std::string worker(int rank) {
    return "worker-000" + std::to_string(rank) + ".safetensors";
  }

  cli::Answer resume(const Words& more = {}) const {
    return cli::grapevine(long_virtual_run(run_) + more);
  }

  // The run has begun at the older checkpoint.
  void expect_fallen_back(const cli::Answer& answer) const {
    expect_unbroken_result(answer);
    EXPECT_EQ(
        checkpoint_folder(run_, last_attempt(run_).step),
        checkpoints_[1]);
  }

  // Newest first.
  std::vector<fs::path> checkpoints_;
  cli::Scratch scratch_;
  const std::string run_ = scratch_.file("run");

 private:
  static inline std::unique_ptr<cli::Scratch> original_;
};

TEST_F(BadRun, CorruptWorkerFileFallsBackToTheOlderCheckpoint) {
  flip_a_bit(checkpoints_[0] / worker(2));
  const cli::Answer answer = resume();
  EXPECT_TRUE(cli::contains(answer.error, "passed over")) << answer.error;
  EXPECT_TRUE(cli::contains(answer.error, worker(2))) << answer.error;
  expect_fallen_back(answer);
}

TEST_F(BadRun, CutWorkerFileFallsBackOnEveryTransport) {
  cut(checkpoints_[0] / worker(1), 0.5);
  const cli::Answer answer = over_gloo(kLongWorkers, long_run(run_));
  EXPECT_TRUE(cli::contains(answer.error, worker(1))) << answer.error;
  expect_fallen_back(answer);
}

TEST_F(BadRun, MissingWorkerFileFallsBack) {
  fs::remove(checkpoints_[0] / worker(3));
  expect_fallen_back(resume());
}

TEST_F(BadRun, CorruptManifestFallsBack) {
  cut(checkpoints_[0] / "manifest.json", 0.5);
  expect_fallen_back(resume());
}

TEST_F(BadRun, ManifestWithoutItsStateIsNoCheckpoint) {
  const fs::path file = checkpoints_[0] / "manifest.json";
  auto manifest = nlohmann::json::parse(cli::read_text(file));
  manifest["state"] = nlohmann::json::object();
  overwrite(file, manifest.dump());
  expect_fallen_back(resume());
}

TEST_F(BadRun, NoReadableCheckpointIsSaidInOneMessage) {
  for (const fs::path& checkpoint : checkpoints_) {
    flip_a_bit(checkpoint / worker(0));
  }
  const cli::Answer answer = resume();
  EXPECT_EQ(answer.exit_code, 1);
  EXPECT_TRUE(cli::contains(answer.error, "no checkpoint")) << answer.error;
  EXPECT_TRUE(cli::contains(answer.error, "--fresh")) << answer.error;
  expect_unbroken_result(resume({"--fresh"}));
}

TEST_F(BadRun, RunJson) {
  overwrite(fs::path(run_) / "run.json", "{\"format_version\": 1, \"outco");
  expect_clear_failure(resume(), 1, {"run.json"});
  expect_unbroken_result(resume({"--fresh"}));
}

TEST_F(BadRun, ResultInRunJsonOfAnotherShape) {
  overwrite(
      fs::path(run_) / "run.json",
      R"({"format_version": 1, "outcome": "completed", "result": {}})");
  expect_clear_failure(resume(), 1, {"run.json"});
}

TEST_F(BadRun, RunJsonOfAnotherVersion) {
  overwrite(fs::path(run_) / "run.json", R"({"format_version": 7})");
  expect_clear_failure(resume(), 1, {"run.json", "version 7"});
}

TEST_F(BadRun, SpecToml) {
  const fs::path file = fs::path(run_) / "spec.toml";
  overwrite(file, "lr = 0.0\n[[[");
  const cli::Answer answer = resume();
  EXPECT_NE(answer.exit_code, 0);
  expect_clear_failure(answer, answer.exit_code, {"spec.toml"});
}

TEST_F(BadRun, CutRecordsAreNoObstacle) {
  cut(fs::path(run_) / "records" / "process-0.jsonl", 0.9);
  expect_unbroken_result(resume());
}

TEST_F(BadRun, RemainsOfAKilledWriterAreRemoved) {
  for (const fs::path& place :
       {fs::path(run_) / "run.json",
        fs::path(run_) / "spec.toml",
        checkpoints_[0] / "manifest.json",
        checkpoints_[1] / worker(0)}) {
    overwrite(place.string() + ".tmp-99999999-0", "half");
  }
  expect_unbroken_result(resume());
  EXPECT_EQ(temporary_files(run_), Words{});
}

} // namespace
} // namespace grapevine::system
