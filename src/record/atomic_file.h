// Files that are there whole or not at all: written beside their place,
// flushed to disk, then renamed. What failed half-way is removed. A full disk
// is an IoError that names the file.
//
// The temporary file is NAME.tmp-PID-COUNTER in the same directory. A process
// that is killed leaves it there; remove_temporaries() is for its successor.
#pragma once

#include "record/posix.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace grapevine::record {

// One thread at a time. Every function throws IoError (`path` and the reason)
// and has removed the temporary file by then; after an error only the
// destructor may be called.
class AtomicFile {
 public:
  // Creates the temporary file; the directory must exist.
  explicit AtomicFile(std::filesystem::path path);
  // Removes the temporary file unless commit() has succeeded.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  // On return the file is in its place, replacing what was there, and both
  // its contents and its name are on disk. At most once; no write after it.
  void commit();

 private:
  [[noreturn]] void fail(int error);
  void discard();

  std::filesystem::path path_;
  std::filesystem::path temporary_;
  Descriptor descriptor_;
};

// The whole file at once.
void write_atomically(const std::filesystem::path& path, std::string_view text);
// IoError where it cannot be read.
std::string read_file(const std::filesystem::path& path);

// True for names that AtomicFile gives to temporary files.
bool is_temporary(const std::filesystem::path& path);
// Removes the temporary files of `path` that killed processes left behind.
// Only where no other process is writing that file. What cannot be removed
// stays.
void remove_temporaries(const std::filesystem::path& path);

} // namespace grapevine::record
