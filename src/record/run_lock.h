// At most one process at a time is at work on a run: an advisory lock on its
// directory, released by the end of the process, however it ends. Others can
// see by it whether a run that has no result is still going.
#pragma once

#include "base/error.h"

#include <filesystem>

namespace grapevine::record {

class RunIsLocked : public ConfigError {
 public:
  using ConfigError::ConfigError;
};

class RunLock {
 public:
  // Creates the directory if need be, and removes it in the end if it did and
  // nobody has put anything there. RunIsLocked if somebody else holds the run,
  // ConfigError if the path is no directory, IoError if it cannot be made.
  explicit RunLock(const std::filesystem::path& run);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  std::filesystem::path run_;
  bool created_ = false;
  int descriptor_ = -1;
};

// Whether somebody, in this process or another, holds the run. Makes nothing;
// false where nothing is there.
bool is_locked(const std::filesystem::path& run);

// Whether somebody is at work on the run: holds it, or writes its records (an
// asynchronous run may go on without the worker that held it). True of
// processes elsewhere only as far as the file system shares its locks.
bool is_at_work(const std::filesystem::path& run);

} // namespace grapevine::record
