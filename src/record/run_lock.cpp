#include "record/run_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace grapevine::record {

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
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const int reason = errno;
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

} // namespace grapevine::record
