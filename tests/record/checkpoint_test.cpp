#include "record/checkpoint.h"

#include "base/error.h"
#include "record/temporary_directory.h"

#include <thread>

namespace grapevine::record {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Names = std::vector<std::string>;

class CheckpointsTest : public testing::Test {
 protected:
  CheckpointsTest() { run_.create(); }

  void write(int64_t step, int worker) const {
    const std::vector<float> values = {
        static_cast<float>(step),
        static_cast<float>(worker),
        0.5f};
    const std::vector<TensorView> planes = {{"parameters", {3}, values}};
    checkpoints_.write_worker(step, worker, planes);
  }

  void save(int64_t step, int workers) const {
    for (int worker = 0; worker < workers; ++worker)
      write(step, worker);
    checkpoints_.commit(step, workers, {{"epoch", step / 10}});
  }

  std::vector<int64_t> steps() const {
    std::vector<int64_t> steps;
    for (const auto& info : checkpoints_.list())
      steps.push_back(info.step);
    return steps;
  }

  fs::path folder(const std::string& name) const {
    return run_.checkpoints() / name;
  }

  TemporaryDirectory directory_;
  RunDirectory run_{directory_ / "run"};
  Checkpoints checkpoints_{run_};
};

TEST_F(CheckpointsTest, NoneAtFirst) {
  EXPECT_TRUE(checkpoints_.list().empty());
  EXPECT_TRUE(Checkpoints(RunDirectory(directory_ / "absent")).list().empty());
}

TEST_F(CheckpointsTest, RoundTrip) {
  for (const int workers : {1, 2, 3, 7}) {
    save(10 * workers, workers);
    const auto newest = checkpoints_.list().at(0);
    EXPECT_EQ(newest.step, 10 * workers);
    EXPECT_EQ(newest.workers, workers);
    EXPECT_EQ(newest.state, json({{"epoch", workers}}));
    for (int worker = 0; worker < workers; ++worker) {
      const auto loaded = checkpoints_.read_worker(newest, worker);
      EXPECT_EQ(loaded.metadata.at("worker"), std::to_string(worker));
      EXPECT_EQ(
          loaded.tensors.at("parameters").values,
          (std::vector<float>{
              static_cast<float>(10 * workers),
              static_cast<float>(worker),
              0.5f}));
    }
  }
}

TEST_F(CheckpointsTest, WorkersMayWriteFromThreads) {
  {
    std::vector<std::jthread> threads;
    for (int worker = 0; worker < 8; ++worker) {
      threads.emplace_back([this, worker] { write(5, worker); });
    }
  }
  checkpoints_.commit(5, 8, nullptr);
  EXPECT_EQ(checkpoints_.list().at(0).workers, 8);
}

TEST_F(CheckpointsTest, WithoutManifestItDoesNotExist) {
  save(10, 2);
  write(20, 0);
  write(20, 1);
  EXPECT_EQ(steps(), std::vector<int64_t>{10});
}

TEST_F(CheckpointsTest, TheLastTwoAreKept) {
  for (const int64_t step : {0, 10, 20, 30})
    save(step, 2);
  EXPECT_EQ(steps(), (std::vector<int64_t>{30, 20}));
  EXPECT_EQ(
      names_in(run_.checkpoints()),
      (Names{"step-00000020", "step-00000030"}));
}

TEST_F(CheckpointsTest, StepsOfMoreThanEightDigitsAreInOrder) {
  save(99999999, 1);
  save(100000000, 1);
  EXPECT_EQ(steps(), (std::vector<int64_t>{100000000, 99999999}));
}

TEST_F(CheckpointsTest, RemainsOfKilledRunsAreSwept) {
  save(10, 2);
  write(15, 0); // killed before the others wrote
  fs::create_directories(folder("step-00000017"));
  put(folder("step-00000017") / "worker-0000.safetensors.tmp-5-0", "x");
  fs::create_directories(folder("step-00000020"));
  put(folder("step-00000020") / "worker-0001.safetensors.tmp-5-1", "x");
  put(folder("step-00000020") / "manifest.json.tmp-5-2", "x");
  write(30, 1); // a worker that is ahead
  put(folder("notes.txt"), "not ours");

  save(20, 2);
  EXPECT_EQ(steps(), (std::vector<int64_t>{20, 10}));
  EXPECT_EQ(
      names_in(run_.checkpoints()),
      (Names{"notes.txt", "step-00000010", "step-00000020", "step-00000030"}));
  EXPECT_EQ(
      names_in(folder("step-00000020")),
      (Names{
          "manifest.json",
          "worker-0000.safetensors",
          "worker-0001.safetensors"}));
}

TEST_F(CheckpointsTest, LaterStepsOfAnAbandonedAttemptAreWithdrawn) {
  save(10, 1);
  save(30, 1);
  save(20, 1); // resumed from 10, since 30 could not be read
  EXPECT_EQ(steps(), (std::vector<int64_t>{20, 10}));
}

TEST_F(CheckpointsTest, WritingAgainWithdrawsTheManifest) {
  save(10, 2);
  save(20, 2);
  write(20, 0);
  EXPECT_EQ(steps(), std::vector<int64_t>{10});
  checkpoints_.commit(20, 2, nullptr);
  EXPECT_EQ(steps(), (std::vector<int64_t>{20, 10}));
}

TEST_F(CheckpointsTest, BrokenManifestsAreIgnored) {
  save(10, 2);
  save(20, 2);
  const fs::path manifest = folder("step-00000020") / "manifest.json";
  const std::string valid = get(manifest);
  for (size_t size = 0; size + 2 < valid.size(); ++size) {
    put(manifest, valid.substr(0, size));
    EXPECT_EQ(steps(), std::vector<int64_t>{10}) << size;
  }
  const auto change = [&](const char* key, const json& value) {
    json changed = json::parse(valid);
    changed[key] = value;
    put(manifest, changed.dump());
  };
  change("format_version", 2);
  EXPECT_EQ(steps(), std::vector<int64_t>{10});
  change("step", 19);
  EXPECT_EQ(steps(), std::vector<int64_t>{10});
  for (const json& workers :
       {json(3), json(0), json(-1), json("2"), json(uint64_t(1) << 63)}) {
    change("workers", workers);
    EXPECT_EQ(steps(), std::vector<int64_t>{10}) << workers;
  }
  for (const json& files : {json(nullptr), json({1, 2}), json::array()}) {
    change("files", files);
    EXPECT_EQ(steps(), std::vector<int64_t>{10}) << files;
  }
  // What is nested without end would overflow the stack when it is copied.
  std::string nested = json::parse(valid).dump();
  const std::string state = "\"state\":";
  const size_t begin = nested.find(state) + state.size();
  const size_t end = nested.find('}', begin) + 1;
  constexpr size_t kDepth = 1'000'000;
  nested.replace(
      begin,
      end - begin,
      std::string(kDepth, '[') + std::string(kDepth, ']'));
  put(manifest, nested);
  EXPECT_EQ(steps(), std::vector<int64_t>{10});
  fs::remove(manifest);
  fs::create_directory(manifest);
  EXPECT_EQ(steps(), std::vector<int64_t>{10});
}

TEST_F(CheckpointsTest, CommitNeedsEveryFile) {
  write(10, 0);
  EXPECT_THROW_WITH(
      checkpoints_.commit(10, 2, nullptr),
      IoError,
      "worker-0001.safetensors");
  EXPECT_TRUE(checkpoints_.list().empty());
}

TEST_F(CheckpointsTest, DamagedFilesAreNamed) {
  save(10, 2);
  const auto info = checkpoints_.list().at(0);
  const fs::path file = info.directory / "worker-0001.safetensors";
  const std::string valid = get(file);

  put(file, valid.substr(0, valid.size() - 4));
  EXPECT_THROW_WITH(
      checkpoints_.read_worker(info, 1),
      IoError,
      "manifest says");
  std::string flipped = valid;
  flipped.back() = static_cast<char>(flipped.back() ^ 1);
  put(file, flipped);
  EXPECT_THROW_WITH(checkpoints_.read_worker(info, 1), IoError, "corrupt");
  fs::copy_file(
      info.directory / "worker-0000.safetensors",
      file,
      fs::copy_options::overwrite_existing);
  EXPECT_THROW_WITH(
      checkpoints_.read_worker(info, 1),
      IoError,
      "worker is 0, should be 1");
  fs::remove(file);
  EXPECT_THROW_WITH(
      checkpoints_.read_worker(info, 1),
      IoError,
      "worker-0001.safetensors");
  EXPECT_NO_THROW(checkpoints_.read_worker(info, 0));
}

TEST_F(CheckpointsTest, FileOfAnotherStepIsRefused) {
  save(10, 1);
  save(20, 1);
  fs::copy_file(
      folder("step-00000010") / "worker-0000.safetensors",
      folder("step-00000020") / "worker-0000.safetensors",
      fs::copy_options::overwrite_existing);
  EXPECT_THROW_WITH(
      checkpoints_.read_worker(checkpoints_.list().at(0), 0),
      IoError,
      "step is 10, should be 20");
}

TEST_F(CheckpointsTest, RemoveAllLeavesForeignFiles) {
  save(10, 2);
  write(20, 0);
  put(folder("notes.txt"), "not ours");
  put(folder("step-00000010") / "mine.txt", "not ours");
  checkpoints_.remove_all();
  EXPECT_EQ(
      names_in(run_.checkpoints()),
      (Names{"notes.txt", "step-00000010"}));
  EXPECT_EQ(names_in(folder("step-00000010")), Names{"mine.txt"});
}

} // namespace
} // namespace grapevine::record
