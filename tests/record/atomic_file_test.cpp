#include "record/atomic_file.h"
#include "base/error.h"
#include "record/temporary_directory.h"

#include <thread>

namespace grapevine::record {
namespace {

using Names = std::vector<std::string>;

TEST(AtomicFile, WritesAndReadsBack) {
  const TemporaryDirectory directory;
  for (const size_t size : {0, 1, 7, 65535, 65536, 65537, 1 << 20}) {
    std::string text(size, 'x');
    for (size_t i = 0; i < size; ++i)
      text[i] = static_cast<char>(i * 31);
    write_atomically(directory / "file", text);
    EXPECT_EQ(read_file(directory / "file"), text) << size;
  }
  EXPECT_EQ(names_in(directory.path()), Names{"file"});
}

TEST(AtomicFile, IsNotThereBeforeCommit) {
  const TemporaryDirectory directory;
  put(directory / "file", "old");
  {
    AtomicFile file(directory / "file");
    file.write("new");
    EXPECT_EQ(get(directory / "file"), "old");
    EXPECT_EQ(names_in(directory.path()).size(), 2u);
  }
  EXPECT_EQ(get(directory / "file"), "old");
  EXPECT_EQ(names_in(directory.path()), Names{"file"});
}

TEST(AtomicFile, FailedRenameLeavesNothing) {
  const TemporaryDirectory directory;
  std::filesystem::create_directories(directory / "file" / "inside");
  EXPECT_THROW_WITH(
      write_atomically(directory / "file", "text"),
      IoError,
      "file");
  EXPECT_EQ(names_in(directory.path()), Names{"file"});
}

TEST(AtomicFile, MissingDirectoryIsNamed) {
  const TemporaryDirectory directory;
  EXPECT_THROW_WITH(
      write_atomically(directory / "absent" / "file", "text"),
      IoError,
      "absent/file: No such file or directory");
}

TEST(AtomicFile, ThreadsDoNotMeet) {
  const TemporaryDirectory directory;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&directory, thread] {
        for (int i = 0; i < 10; ++i) {
          write_atomically(
              directory / "file",
              std::string(10000, char('a' + thread)));
        }
      });
    }
  }
  const std::string text = get(directory / "file");
  EXPECT_EQ(text, std::string(10000, text[0]));
  EXPECT_EQ(names_in(directory.path()), Names{"file"});
}

TEST(AtomicFile, TemporariesOfKilledProcessesAreRemoved) {
  const TemporaryDirectory directory;
  for (const char* name :
       {"run.json",
        "run.json.tmp-17-0",
        "run.json.tmp-4194304-12",
        "spec.toml.tmp-17-0",
        "run.json.tmp-notes"}) {
    put(directory / name, "x");
  }
  remove_temporaries(directory / "run.json");
  EXPECT_EQ(
      names_in(directory.path()),
      (Names{"run.json", "run.json.tmp-notes", "spec.toml.tmp-17-0"}));
  EXPECT_FALSE(is_temporary("run.json"));
  EXPECT_FALSE(is_temporary(".tmp-1-2"));
  EXPECT_TRUE(is_temporary("a/run.json.tmp-1-2"));
}

TEST(AtomicFile, ReadFileNamesWhatCannotBeRead) {
  const TemporaryDirectory directory;
  EXPECT_THROW_WITH(read_file(directory / "absent"), IoError, "absent");
  EXPECT_THROW_WITH(read_file(directory.path()), IoError, "directory");
}

} // namespace
} // namespace grapevine::record
