#include "data/file.h"

#include "base/error.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace grapevine::data {
namespace fs = std::filesystem;

std::vector<uint8_t> read_file(const std::string& path) {
  const auto fail = [&](const char* what) {
    throw IoError(
        fmt::format("{}: cannot {}: {}", path, what, std::strerror(errno)));
  };
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      std::fopen(path.c_str(), "rb"),
      std::fclose);
  if (!file) fail("open");
  std::error_code ignored;
  const auto size = fs::file_size(path, ignored);
  std::vector<uint8_t> bytes(ignored ? 0 : size);
  size_t filled = 0;
  // One byte of room more than the file has, so that its end is seen.
  for (;;) {
    if (bytes.size() - filled < 1) bytes.resize(filled + 4096);
    const size_t got =
        std::fread(bytes.data() + filled, 1, bytes.size() - filled, file.get());
    filled += got;
    if (got == 0) break;
  }
  if (std::ferror(file.get()) != 0) fail("read");
  bytes.resize(filled);
  return bytes;
}

PartFile::PartFile(std::string path, bool keep_old)
    : path_(std::move(path)),
      part_path_(path_ + ".part") {
  const auto folder = fs::path(path_).parent_path();
  std::error_code failure;
  if (!folder.empty()) fs::create_directories(folder, failure);
  if (failure) {
    throw IoError(fmt::format(
        "{}: cannot make the folder: {}",
        folder.string(),
        failure.message()));
  }
  open(keep_old ? "ab" : "wb");
}

void PartFile::open(const char* mode) {
  file_.reset(std::fopen(part_path_.c_str(), mode));
  if (!file_) fail("open");
  if (std::fseek(file_.get(), 0, SEEK_END) != 0) fail("seek in");
  size_ = std::ftell(file_.get());
}

void PartFile::write(std::span<const char> bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) {
    fail("write");
  }
  size_ += static_cast<int64_t>(bytes.size());
}

void PartFile::restart() {
  file_.reset();
  open("wb");
}

void PartFile::close() {
  if (!file_) return;
  if (std::fflush(file_.get()) != 0) fail("write");
  if (::fsync(::fileno(file_.get())) != 0) fail("write");
  if (std::fclose(file_.release()) != 0) fail("close");
}

void PartFile::commit() {
  close();
  if (std::rename(part_path_.c_str(), path_.c_str()) != 0) fail("rename");
}

void PartFile::discard() noexcept {
  file_.reset();
  std::remove(part_path_.c_str());
}

void PartFile::fail(const char* what) const {
  throw IoError(
      fmt::format("{}: cannot {}: {}", part_path_, what, std::strerror(errno)));
}

} // namespace grapevine::data
