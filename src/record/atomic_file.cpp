#include "record/atomic_file.h"

#include "base/check.h"

#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <cstdio>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace grapevine::record {
namespace {

constexpr std::string_view kTemporaryMark = ".tmp-";

std::filesystem::path temporary_name(const std::filesystem::path& path) {
  // The counter tells apart the threads of a process; it is the one global
  // here, and nothing but the name of a short-lived file depends on it.
  static std::atomic<uint64_t> counter{0};
  std::filesystem::path temporary = path;
  temporary += fmt::format("{}{}-{}", kTemporaryMark, ::getpid(), counter++);
  return temporary;
}

std::filesystem::path parent_of(const std::filesystem::path& path) {
  const std::filesystem::path parent = path.parent_path();
  return parent.empty() ? std::filesystem::path(".") : parent;
}

} // namespace

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
  // The name may be taken: by the remains of a killed process that had our
  // number, or by a process of another host on a shared file system.
  do {
    temporary_ = temporary_name(path_);
    descriptor_ = open_descriptor(temporary_, O_WRONLY | O_CREAT | O_EXCL);
  } while (!descriptor_.valid() && errno == EEXIST);
  if (!descriptor_.valid()) {
    temporary_.clear();
    throw_io_error("create", path_, errno);
  }
}

AtomicFile::~AtomicFile() {
  discard();
}

void AtomicFile::discard() {
  descriptor_.close();
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
}

void AtomicFile::fail(int error) {
  discard();
  throw_io_error("write", path_, error);
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  GV_CHECK(descriptor_.valid());
  if (write_all(descriptor_.number(), bytes) < bytes.size()) fail(errno);
}

void AtomicFile::write(std::string_view text) {
  write(std::as_bytes(std::span(text)));
}

void AtomicFile::commit() {
  GV_CHECK(descriptor_.valid());
  if (const int error = sync_descriptor(descriptor_.number())) fail(error);
  if (const int error = descriptor_.close()) fail(error);
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail(errno);
  temporary_.clear();
  sync_directory(parent_of(path_));
}

void write_atomically(
    const std::filesystem::path& path,
    std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

std::string read_file(const std::filesystem::path& path) {
  const Descriptor file = open_descriptor(path, O_RDONLY);
  if (!file.valid()) throw_io_error("open", path, errno);
  std::string text;
  std::string chunk(1 << 16, '\0');
  for (;;) {
    const int64_t count = read_at(
        file.number(),
        std::as_writable_bytes(std::span(chunk)),
        static_cast<int64_t>(text.size()));
    if (count < 0) throw_io_error("read", path, errno);
    text.append(chunk, 0, static_cast<size_t>(count));
    if (count < static_cast<int64_t>(chunk.size())) return text;
  }
}

bool is_temporary(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  const size_t mark = name.rfind(kTemporaryMark);
  if (mark == std::string::npos || mark == 0) return false;
  const std::string suffix = name.substr(mark + kTemporaryMark.size());
  const size_t dash = suffix.find('-');
  return dash != std::string::npos && dash > 0 && dash + 1 < suffix.size() &&
         suffix.find_first_not_of("0123456789-") == std::string::npos;
}

void remove_temporaries(const std::filesystem::path& path) {
  const std::string prefix =
      path.filename().string() + std::string(kTemporaryMark);
  std::error_code error;
  std::filesystem::directory_iterator entries(parent_of(path), error);
  for (; !error && entries != std::filesystem::directory_iterator();
       entries.increment(error)) {
    const std::filesystem::path& entry = entries->path();
    if (is_temporary(entry) && entry.filename().string().starts_with(prefix)) {
      ::unlink(entry.c_str());
    }
  }
}

} // namespace grapevine::record
