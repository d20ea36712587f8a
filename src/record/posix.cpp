#include "record/posix.h"

#include "base/error.h"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace grapevine::record {

void throw_io_error(
    std::string_view action,
    const std::filesystem::path& path,
    int error) {
  const std::string reason =
      error == ENOSPC ? "disk full" : std::generic_category().message(error);
  throw IoError(fmt::format("cannot {} {}: {}", action, path.string(), reason));
}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    close();
    number_ = std::exchange(other.number_, -1);
  }
  return *this;
}

int Descriptor::close() {
  if (number_ < 0) return 0;
  // Not repeated after EINTR: on Linux the number is free by then.
  const int result = ::close(std::exchange(number_, -1));
  return result == 0 || errno == EINTR ? 0 : errno;
}

Descriptor
open_descriptor(const std::filesystem::path& path, int flags, int mode) {
  int number;
  do {
    number = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (number < 0 && errno == EINTR);
  return Descriptor(number);
}

size_t write_all(int descriptor, std::span<const std::byte> bytes) {
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count =
        ::write(descriptor, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) break;
    done += static_cast<size_t>(count);
  }
  return done;
}

int64_t read_at(int descriptor, std::span<std::byte> bytes, int64_t offset) {
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::pread(
        descriptor,
        bytes.data() + done,
        bytes.size() - done,
        offset + static_cast<int64_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return -1;
    if (count == 0) break;
    done += static_cast<size_t>(count);
  }
  return static_cast<int64_t>(done);
}

int sync_descriptor(int descriptor) {
  int result;
  do {
    result = ::fsync(descriptor);
  } while (result != 0 && errno == EINTR);
  return result == 0 ? 0 : errno;
}

int lock_at_once(int descriptor, int operation) {
  constexpr int kTries = 100;
  for (int i = 1;; ++i) {
    if (::flock(descriptor, operation | LOCK_NB) == 0) return 0;
    if (errno != EWOULDBLOCK || i == kTries) return errno;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void sync_directory(const std::filesystem::path& directory) {
  const Descriptor opened = open_descriptor(directory, O_RDONLY | O_DIRECTORY);
  if (!opened.valid()) throw_io_error("open", directory, errno);
  const int error = sync_descriptor(opened.number());
  // Some network file systems cannot flush a directory and say EINVAL.
  if (error != 0 && error != EINVAL) {
    throw_io_error("flush", directory, error);
  }
}

} // namespace grapevine::record
