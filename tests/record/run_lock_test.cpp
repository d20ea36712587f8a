#include "record/run_lock.h"

#include "record/record_writer.h"
#include "record/run_directory.h"
#include "record/temporary_directory.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <optional>
#include <thread>

namespace grapevine::record {
namespace {

TEST(RunLock, IsSeenWhileItIsHeld) {
  const TemporaryDirectory directory;
  const auto run = directory / "run";
  EXPECT_FALSE(is_locked(run));
  EXPECT_FALSE(is_at_work(run));
  EXPECT_FALSE(std::filesystem::exists(run)); // looking makes nothing
  RunDirectory(run).create();
  EXPECT_FALSE(is_locked(run));
  {
    const RunLock lock(run);
    for (int i = 0; i < 2; ++i) {
      EXPECT_TRUE(is_locked(run));
      EXPECT_TRUE(is_at_work(run));
    }
    EXPECT_THROW(RunLock{run}, RunIsLocked);
  }
  EXPECT_FALSE(is_locked(run));
  EXPECT_FALSE(is_at_work(run));
}

// A worker of an asynchronous run, whose first one is gone.
TEST(RunLock, WhoWritesRecordsIsAtWork) {
  const TemporaryDirectory directory;
  const RunDirectory run(directory / "run");
  run.create();
  std::optional<RecordWriter> writer(run.records(2));
  writer->append({{"type", "step"}});
  writer->flush();
  EXPECT_TRUE(is_at_work(run.path()));
  EXPECT_FALSE(is_locked(run.path()));
  writer.reset();
  EXPECT_FALSE(is_at_work(run.path()));
}

TEST(RunLock, LookingKeepsNobodyFromIt) {
  const TemporaryDirectory directory;
  const auto run = directory / "run";
  RunDirectory(run).create();
  const std::jthread looks([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      is_at_work(run);
      std::this_thread::yield();
    }
  });
  for (int i = 0; i < 200; ++i)
    EXPECT_NO_THROW(RunLock{run});
}

} // namespace
} // namespace grapevine::record
