#include "record/run_lock.h"

#include "record/posix.h"
#include "record/run_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace grapevine::record {
namespace {

// A file that cannot be opened or locked counts as not held.
Descriptor open_to_look(const std::filesystem::path& path) {
  return open_descriptor(path, O_RDONLY | O_NONBLOCK);
}

// Writers share their lock, so this wants it alone; so does another who looks,
// for a moment, who is no writer.
bool is_written(const std::filesystem::path& records) {
  const Descriptor file = open_to_look(records);
  return file.valid() && lock_at_once(file.number(), LOCK_EX) == EWOULDBLOCK;
}

} // namespace

RunLock::RunLock(const std::filesystem::path& run) : run_(run) {
  std::error_code error;
  created_ = std::filesystem::create_directories(run, error);
  descriptor_ = open(run.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor_ < 0) {
    const std::string reason = fmt::format(
        "cannot use {} as a run directory: {}",
        run.string(),
        error ? error.message() : std::strerror(errno));
    if (errno == ENOTDIR) throw ConfigError(reason);
    throw IoError(reason);
  }
  if (const int reason = lock_at_once(descriptor_, LOCK_EX); reason != 0) {
    close(descriptor_);
    if (reason != EWOULDBLOCK) {
      throw IoError(fmt::format(
          "cannot lock the run {}: {}",
          run.string(),
          std::strerror(reason)));
    }
    throw RunIsLocked(
        fmt::format("another process is at work on the run {}", run.string()));
  }
}

RunLock::~RunLock() {
  // rmdir leaves a directory alone that holds something.
  if (created_) rmdir(run_.c_str());
  close(descriptor_);
}

bool is_locked(const std::filesystem::path& run) {
  const Descriptor file = open_to_look(run);
  return file.valid() && flock(file.number(), LOCK_SH | LOCK_NB) != 0 &&
         errno == EWOULDBLOCK;
}

bool is_at_work(const std::filesystem::path& run) {
  if (is_locked(run)) return true;
  return std::ranges::any_of(RunDirectory(run).record_files(), is_written);
}

} // namespace grapevine::record
