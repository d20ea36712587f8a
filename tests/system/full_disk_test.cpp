// A disk that fills up during a run.
#include "system/long_run.h"
#include "system/run_records.h"

#include <sys/mount.h>

#include <cerrno>
#include <cstring>

namespace grapevine::system {
namespace {

// A small file system in memory; needs the right to mount.
class SmallDisk {
 public:
  explicit SmallDisk(const std::string& size) { mount_it("size=" + size, 0); }
  ~SmallDisk() {
    if (mounted()) umount2(path().c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  bool mounted() const { return error_.empty(); }
  const std::string& error() const { return error_; }
  std::string path() const { return scratch_.path().string(); }
  std::string file(const std::string& name) const {
    return scratch_.file(name);
  }

  void grow(const std::string& size) { mount_it("size=" + size, MS_REMOUNT); }
  void protect() { mount_it("", MS_REMOUNT | MS_RDONLY); }

 private:
  void mount_it(const std::string& options, unsigned long flags) {
    if (mount("tmpfs", path().c_str(), "tmpfs", flags, options.c_str()) != 0) {
      error_ = std::strerror(errno);
    }
  }

  cli::Scratch scratch_;
  std::string error_;
};

// A checkpoint of the long run is 3.8 MB: one fits on 5 MB, two do not.
TEST(FullDisk, InTheMiddleOfTheRun) {
  SmallDisk disk("5m");
  if (!disk.mounted()) GTEST_SKIP() << "cannot mount: " << disk.error();
  const std::string out = disk.file("run");
  expect_clear_failure(
      cli::grapevine(long_virtual_run(out)),
      1,
      {out, "disk full"});
  EXPECT_EQ(temporary_files(out), Words{});
  EXPECT_EQ(checkpoint_steps(out), std::vector<int>{3}) << "the last good one";
  const auto run = nlohmann::json::parse(cli::read_text(out + "/run.json"));
  EXPECT_EQ(run["outcome"], "failed");

  disk.grow("64m");
  expect_unbroken_result(cli::grapevine(long_virtual_run(out)));
  EXPECT_EQ(last_attempt(out).step, 3);
  EXPECT_EQ(temporary_files(out), Words{});
}

TEST(FullDisk, OfOneWorkerEndsAll) {
  SmallDisk disk("5m");
  if (!disk.mounted()) GTEST_SKIP() << "cannot mount: " << disk.error();
  const std::string out = disk.file("run");
  Process process(under_launch(kLongWorkers, long_run(out)));
  const cli::Answer answer = process.wait();
  EXPECT_EQ(answer.exit_code, 1);
  EXPECT_TRUE(cli::contains(answer.error, "disk full")) << answer.error;
  EXPECT_TRUE(still_running().empty());
  EXPECT_EQ(temporary_files(out), Words{});
  disk.grow("64m");
  expect_unbroken_result(cli::grapevine(long_virtual_run(out)));
  EXPECT_EQ(last_attempt(out).step, 3);
}

TEST(FullDisk, FromTheBeginning) {
  SmallDisk disk("16k");
  if (!disk.mounted()) GTEST_SKIP() << "cannot mount: " << disk.error();
  std::ofstream(disk.file("filler")) << std::string(1 << 20, 'x');
  const std::string out = disk.file("run");
  expect_clear_failure(
      cli::grapevine(long_virtual_run(out)),
      1,
      {out, "disk full"});
  EXPECT_EQ(temporary_files(out), Words{});
}

TEST(FullDisk, ReadOnlyDisk) {
  SmallDisk disk("1m");
  if (!disk.mounted()) GTEST_SKIP() << "cannot mount: " << disk.error();
  disk.protect();
  const std::string out = disk.file("run");
  expect_clear_failure(
      cli::grapevine(long_virtual_run(out)),
      1,
      {out, "Read-only"});
}

TEST(FullDisk, Export) {
  SmallDisk disk("64k");
  if (!disk.mounted()) GTEST_SKIP() << "cannot mount: " << disk.error();
  const cli::Scratch scratch;
  const std::string run = scratch.file("run");
  result_of(cli::grapevine(small_run("d-ring", run) + "-n 2"));
  const std::string file = disk.file("model.safetensors");
  expect_clear_failure(
      cli::grapevine({"export", run, file}),
      1,
      {file, "disk full"});
  EXPECT_TRUE(std::filesystem::is_empty(disk.path()));
}

} // namespace
} // namespace grapevine::system
