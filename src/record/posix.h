// What the record layer needs of POSIX files: owned descriptors, writes that
// survive signals and short counts, and errors that name the file. Internal
// to this layer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>

namespace grapevine::record {

// IoError: "cannot write /runs/a/run.json: disk full". `action` is a verb,
// `error` an errno.
[[noreturn]] void throw_io_error(
    std::string_view action,
    const std::filesystem::path& path,
    int error);

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept
      : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept;

  bool valid() const { return number_ >= 0; }
  int number() const { return number_; }
  // 0 or the errno of closing, where late write errors appear.
  int close();

 private:
  int number_ = -1;
};

// open(2) with O_CLOEXEC, again after a signal. Invalid, with errno set, if it
// fails.
Descriptor
open_descriptor(const std::filesystem::path& path, int flags, int mode = 0666);

// Writes until all is written or an error comes (errno); returns how many
// bytes were written.
size_t write_all(int descriptor, std::span<const std::byte> bytes);

// Fills `bytes` from `offset`; returns fewer than asked at the end of the
// file, -1 with errno set on an error.
int64_t read_at(int descriptor, std::span<std::byte> bytes, int64_t offset);

// 0 or errno, again after a signal.
int sync_descriptor(int descriptor);

// flock(2) that does not wait for who keeps the file locked, but for who only
// looks whether it is (record/run_lock.h): that takes a moment, or half a
// second on a busy machine. 0 or errno, EWOULDBLOCK where somebody keeps it.
int lock_at_once(int descriptor, int operation);

// Makes names in a directory (new, renamed, removed) durable. IoError.
void sync_directory(const std::filesystem::path& directory);

} // namespace grapevine::record
