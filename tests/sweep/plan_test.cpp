#include "sweep/plan.h"

#include "record/checkpoint.h"
#include "record/run_directory.h"
#include "record/temporary_directory.h"
#include "spec/spec_table.h"
#include "sweep/machine.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace grapevine::sweep {
namespace {

class StoredStateTest : public ::testing::Test {
 protected:
  StoredStateTest() { spec_.out = (folder_ / "run").string(); }

  record::RunDirectory directory() const {
    return record::RunDirectory(spec_.out);
  }

  void write(const nlohmann::json& run) const {
    directory().create();
    directory().write_spec(spec::to_toml(spec_));
    directory().write_run(run);
  }

  void write_checkpoint(int64_t step) const {
    const record::Checkpoints checkpoints(directory());
    const std::vector<float> plane = {1, 2, 3};
    const std::vector<record::TensorView> planes = {{"parameters", {3}, plane}};
    checkpoints.write_worker(step, 0, planes);
    checkpoints.commit(step, 1, nlohmann::json::object());
  }

  record::TemporaryDirectory folder_;
  spec::Spec spec_;
};

TEST_F(StoredStateTest, NothingThereIsToDo) {
  EXPECT_EQ(stored_state(spec_).state, State::kToDo);
  EXPECT_FALSE(std::filesystem::exists(spec_.out));
}

TEST_F(StoredStateTest, AResultIsDone) {
  for (const char* outcome : {"completed", "diverged"}) {
    write({{"outcome", outcome}, {"result", {{"outcome", outcome}}}});
    EXPECT_EQ(stored_state(spec_).state, State::kDone) << outcome;
  }
}

TEST_F(StoredStateTest, WithoutACheckpointItBeginsAgain) {
  for (const char* outcome : {"running", "failed", "interrupted"}) {
    write({{"outcome", outcome}});
    EXPECT_EQ(stored_state(spec_).state, State::kToDo) << outcome;
  }
  write({{"outcome", "interrupted"}, {"result", {{"outcome", "interrupted"}}}});
  EXPECT_EQ(stored_state(spec_).state, State::kToDo);
}

TEST_F(StoredStateTest, ACheckpointIsResumed) {
  write({{"outcome", "running"}});
  write_checkpoint(40);
  write_checkpoint(57);
  const StoredState stored = stored_state(spec_);
  EXPECT_EQ(stored.state, State::kToResume);
  EXPECT_EQ(stored.step, 57);
}

TEST_F(StoredStateTest, FreshIsToDo) {
  write({{"outcome", "completed"}, {"result", {{"outcome", "completed"}}}});
  spec_.fresh = true;
  EXPECT_EQ(stored_state(spec_).state, State::kToDo);
}

TEST_F(StoredStateTest, AnotherSpecIsNotThisRun) {
  write({{"outcome", "completed"}, {"result", {{"outcome", "completed"}}}});
  spec_.lr *= 2;
  EXPECT_EQ(stored_state(spec_).state, State::kToDo);
}

TEST_F(StoredStateTest, WhatCannotChangeAResultDoesNotMatter) {
  write({{"outcome", "completed"}, {"result", {{"outcome", "completed"}}}});
  spec_.threads = 7;
  EXPECT_EQ(stored_state(spec_).state, State::kDone);
}

TEST_F(StoredStateTest, BrokenDirectoriesAreToDo) {
  const nlohmann::json done = {
      {"outcome", "completed"},
      {"result", {{"outcome", "completed"}}}};
  for (const char* text : {"", "{", "[]", "null", "{\"format_version\": 99}"}) {
    write(done);
    record::put(directory().run_file(), text);
    EXPECT_EQ(stored_state(spec_).state, State::kToDo) << text;
  }
  for (const char* result :
       {"null", "3", "[]", "{}", R"({"outcome": null})", R"({"outcome": 1})"}) {
    nlohmann::json run = done;
    run["result"] = nlohmann::json::parse(result);
    write(run);
    EXPECT_EQ(stored_state(spec_).state, State::kToDo) << result;
  }
  write(done);
  for (const char* text : {"", "lr = ", "unheard-of = 3\n"}) {
    record::put(directory().spec_file(), text);
    spec_.lr = 0.3; // not the default, which an empty file stands for
    EXPECT_EQ(stored_state(spec_).state, State::kToDo) << text;
  }
  std::filesystem::remove(directory().spec_file());
  EXPECT_EQ(stored_state(spec_).state, State::kToDo);
}

TEST(Machine, MemAvailable) {
  EXPECT_EQ(
      parse_available("MemTotal:  100 kB\nMemAvailable:    42 kB\nX: 1 kB\n"),
      42 * 1024);
  for (const char* text :
       {"", "MemTotal: 7 kB\n", "MemAvailable:", "MemAvailable: many kB"}) {
    EXPECT_EQ(parse_available(text), 0) << text;
  }
  EXPECT_GE(available_cores(), 1);
  EXPECT_GE(available_memory(), 0);
}

} // namespace
} // namespace grapevine::sweep
