#include "record/run_directory.h"

#include "base/error.h"
#include "record/checkpoint.h"
#include "record/record_writer.h"
#include "record/temporary_directory.h"

#include <cmath>

namespace grapevine::record {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Names = std::vector<std::string>;

TEST(RunDirectory, CreatesItsFolders) {
  const TemporaryDirectory directory;
  const RunDirectory run(directory / "deep" / "run");
  EXPECT_FALSE(run.exists());
  run.create();
  run.create();
  EXPECT_EQ(names_in(run.path()), (Names{"checkpoints", "records"}));
  EXPECT_FALSE(run.exists());
  run.write_spec("model = \"mlp\"\n");
  EXPECT_TRUE(run.exists());
  EXPECT_EQ(run.read_spec(), "model = \"mlp\"\n");
}

TEST(RunDirectory, RunIsWrittenAndRead) {
  const TemporaryDirectory directory;
  const RunDirectory run(directory.path());
  run.create();
  EXPECT_EQ(run.read_run(), std::nullopt);
  put(directory / "run.json.tmp-1-1", "{");
  run.write_run({{"outcome", "completed"}, {"loss", std::nan("")}});
  EXPECT_EQ(
      run.read_run(),
      json(
          {{"format_version", 1},
           {"outcome", "completed"},
           {"loss", nullptr}}));
  EXPECT_EQ(
      names_in(run.path()),
      (Names{"checkpoints", "records", "run.json"}));
}

TEST(RunDirectory, BadRunFilesAreNamed) {
  const TemporaryDirectory directory;
  const RunDirectory run(directory.path());
  for (const char* text : {"", "{", "[]", "7", "\xff"}) {
    put(run.run_file(), text);
    EXPECT_THROW_WITH(run.read_run(), IoError, "run.json is not a valid");
  }
  put(run.run_file(), "{\"format_version\":2}");
  EXPECT_THROW_WITH(run.read_run(), IoError, "format version 2");
  put(run.run_file(), "{}");
  EXPECT_THROW_WITH(run.read_run(), IoError, "format version none");
  EXPECT_THROW_WITH(run.read_spec(), IoError, "spec.toml");
}

TEST(RunDirectory, RefusesWhatIsNotARun) {
  const TemporaryDirectory directory;
  put(directory / "thesis.tex", "years of work");
  const RunDirectory run(directory.path());
  EXPECT_THROW_WITH(run.create(), ConfigError, "thesis.tex");
  EXPECT_THROW_WITH(run.clear(), ConfigError, "thesis.tex");
  const RunDirectory file(directory / "thesis.tex");
  EXPECT_THROW_WITH(file.create(), ConfigError, "not a directory");
  EXPECT_THROW_WITH(file.clear(), ConfigError, "not a directory");
  EXPECT_EQ(names_in(directory.path()), Names{"thesis.tex"});
}

TEST(RunDirectory, CannotBeCreatedBelowAFile) {
  const TemporaryDirectory directory;
  put(directory / "file", "");
  EXPECT_THROW_WITH(
      RunDirectory(directory / "file" / "run").create(),
      IoError,
      "file/run");
}

TEST(RunDirectory, ClearRemovesItsOwnFilesOnly) {
  const TemporaryDirectory directory;
  const RunDirectory run(directory / "run");
  run.clear(); // nothing there
  run.create();
  run.write_spec("");
  run.write_run(json::object());
  put(run.path() / "run.json.tmp-9-9", "");
  put(run.path() / "report.html", "");
  RecordWriter(run.records(0)).append({{"type", "step"}});
  const Checkpoints checkpoints(run);
  checkpoints.write_worker(3, 0, {});
  checkpoints.commit(3, 1, nullptr);

  put(run.path() / "notes.txt", "mine");
  put(run.path() / "records" / "notes.txt", "mine");
  run.clear();
  EXPECT_EQ(names_in(run.path()), (Names{"notes.txt", "records"}));
  EXPECT_EQ(names_in(run.path() / "records"), Names{"notes.txt"});
}

TEST(RunDirectory, ClearOfAKilledStart) {
  const TemporaryDirectory directory;
  const RunDirectory run(directory.path());
  run.create();
  put(directory / "spec.toml.tmp-3-0", "half");
  run.clear();
  EXPECT_TRUE(names_in(directory.path()).empty());
}

} // namespace
} // namespace grapevine::record
