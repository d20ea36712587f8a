// At most one process at a time is at work on a run: an advisory lock on its
// directory, released by the end of the process, however it ends.
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

} // namespace grapevine::record
