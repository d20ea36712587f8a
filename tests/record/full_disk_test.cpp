// What happens when there is no room: a small tmpfs in a mount namespace of
// its own where that is allowed (root), a limit on the size of files, and
// /dev/full.
#include "base/error.h"
#include "record/atomic_file.h"
#include "record/checkpoint.h"
#include "record/record_reader.h"
#include "record/record_writer.h"
#include "record/temporary_directory.h"

#include <csignal>
#include <functional>

#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace grapevine::record {
namespace {

using Names = std::vector<std::string>;

constexpr int kNoMount = 77;

bool mount_small_disk(const std::filesystem::path& path) {
  return ::unshare(CLONE_NEWNS) == 0 &&
         ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("tmpfs", path.c_str(), "tmpfs", 0, "size=64k") == 0;
}

// Runs body in a child whose `path` is a disk of 64 kB. The child's exit code:
// 0 if body saw what it expected.
int on_small_disk(
    const std::filesystem::path& path,
    const std::function<bool()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (!mount_small_disk(path)) ::_exit(kNoMount);
    try {
      ::_exit(body() ? 0 : 1);
    } catch (...) {
      ::_exit(2);
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool says_disk_full(const std::function<void()>& write, const char* file) {
  try {
    write();
  } catch (const IoError& error) {
    const std::string message = error.what();
    return message.find("disk full") != std::string::npos &&
           message.find(file) != std::string::npos;
  }
  return false;
}

#define SKIP_WITHOUT_MOUNT(code) \
  if ((code) == kNoMount) GTEST_SKIP() << "not allowed to mount a tmpfs"

TEST(FullDisk, AtomicFileKeepsTheOldOne) {
  const TemporaryDirectory directory;
  const int code = on_small_disk(directory.path(), [&] {
    write_atomically(directory / "file", "old");
    return says_disk_full(
               [&] {
                 write_atomically(
                     directory / "file",
                     std::string(1 << 20, 'x'));
               },
               "/file:") &&
           names_in(directory.path()) == Names{"file"} &&
           get(directory / "file") == "old";
  });
  SKIP_WITHOUT_MOUNT(code);
  EXPECT_EQ(code, 0);
}

TEST(FullDisk, CheckpointBeforeItStays) {
  const TemporaryDirectory directory;
  const int code = on_small_disk(directory.path(), [&] {
    const RunDirectory run(directory / "run");
    run.create();
    const Checkpoints checkpoints(run);
    checkpoints.write_worker(1, 0, {});
    checkpoints.commit(1, 1, nullptr);
    const std::vector<float> values(1 << 18);
    const std::vector<TensorView> planes = {{"x", {1 << 18}, values}};
    return says_disk_full(
               [&] { checkpoints.write_worker(2, 0, planes); },
               "worker-0000.safetensors:") &&
           names_in(run.checkpoints() / "step-00000002").empty() &&
           checkpoints.list().size() == 1;
  });
  SKIP_WITHOUT_MOUNT(code);
  EXPECT_EQ(code, 0);
}

TEST(FullDisk, RecordsEndBehindAWholeLine) {
  const TemporaryDirectory directory;
  const int code = on_small_disk(directory.path(), [&] {
    RecordWriter writer(directory / "r");
    const auto fill = [&] {
      for (int i = 0; i < 10000; ++i) {
        writer.append({{"type", "step"}, {"step", i}});
      }
    };
    int64_t lines = 0;
    const bool full = says_disk_full(fill, "/r:");
    const bool stays = says_disk_full([&] { writer.flush(); }, "/r:");
    const int64_t broken =
        read_records(directory / "r", [&](const nlohmann::json&) { ++lines; });
    return full && stays && broken == 0 && lines > 0;
  });
  SKIP_WITHOUT_MOUNT(code);
  EXPECT_EQ(code, 0);
}

TEST(FullDisk, DevFull) {
  RecordWriter writer("/dev/full");
  writer.append({{"type", "step"}});
  EXPECT_THROW_WITH(writer.flush(), IoError, "/dev/full: disk full");
  EXPECT_THROW_WITH(writer.flush(), IoError, "/dev/full: disk full");
  EXPECT_THROW_WITH(
      writer.append({{"type", "step"}}),
      IoError,
      "/dev/full: disk full");
}

// Files may not grow beyond `bytes` while it lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes)
      : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit = {bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit before_{};
};

TEST(FullDisk, ShortWritesAreNotTakenForWhole) {
  const TemporaryDirectory directory;
  {
    const FileSizeLimit limit(5000);
    EXPECT_THROW_WITH(
        write_atomically(directory / "file", std::string(6000, 'x')),
        IoError,
        "file: File too large");
    EXPECT_TRUE(names_in(directory.path()).empty());
    EXPECT_NO_THROW(
        write_atomically(directory / "file", std::string(5000, 'x')));

    RecordWriter writer(directory / "r");
    for (int i = 0; i < 1000; ++i)
      writer.append({{"type", "step"}});
    EXPECT_THROW(writer.flush(), IoError);
  }
  const std::string records = get(directory / "r");
  EXPECT_GT(records.size(), 4900u);
  EXPECT_EQ(records.back(), '\n');
}

} // namespace
} // namespace grapevine::record
