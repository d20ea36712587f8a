#include "record/record_writer.h"

#include "base/check.h"
#include "record/json_fields.h"
#include "record/posix.h"
#include "record/run_directory.h"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <exception>
#include <mutex>
#include <string>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace grapevine::record {
namespace {

constexpr size_t kFlushBytes = 1 << 16;

} // namespace

struct RecordWriter::State {
  std::filesystem::path path;
  std::mutex mutex;
  // Guarded by mutex.
  Descriptor file;
  int64_t file_bytes = 0;
  std::string buffer;
  std::exception_ptr error;

  void open();
  void flush();
  void keep_whole_lines(size_t written);
};

void RecordWriter::State::open() {
  file = open_descriptor(path, O_RDWR | O_CREAT | O_APPEND);
  struct stat status {};
  if (!file.valid() || ::fstat(file.number(), &status) != 0) {
    throw_io_error("open", path, errno);
  }
  // A sign for others, which no run depends on.
  lock_at_once(file.number(), LOCK_SH);
  file_bytes = status.st_size;
  if (file_bytes == 0) {
    buffer =
        dump_json({{"type", "format"}, {"format_version", kFormatVersion}}) +
        "\n";
    return;
  }
  char last = '\n';
  if (read_at(
          file.number(),
          std::as_writable_bytes(std::span(&last, 1)),
          file_bytes - 1) < 0) {
    throw_io_error("read", path, errno);
  }
  if (last != '\n') buffer.push_back('\n');
}

// After a failed write: cuts off the line that is in the file in part.
void RecordWriter::State::keep_whole_lines(size_t written) {
  const size_t newline = buffer.substr(0, written).rfind('\n');
  const size_t whole = newline == std::string::npos ? 0 : newline + 1;
  // Where this fails too, readers skip the cut line.
  [[maybe_unused]] const int result = ::ftruncate(
      file.number(),
      static_cast<off_t>(file_bytes + int64_t(whole)));
}

void RecordWriter::State::flush() {
  if (error) std::rethrow_exception(error);
  const size_t written =
      write_all(file.number(), std::as_bytes(std::span(buffer)));
  const int reason = errno;
  if (written < buffer.size()) {
    keep_whole_lines(written);
    buffer.clear();
    try {
      throw_io_error("write", path, reason);
    } catch (...) {
      error = std::current_exception();
    }
    std::rethrow_exception(error);
  }
  file_bytes += static_cast<int64_t>(written);
  buffer.clear();
}

RecordWriter::RecordWriter(const std::filesystem::path& path)
    : state_(std::make_unique<State>()) {
  state_->path = path;
  state_->open();
}

RecordWriter::~RecordWriter() {
  try {
    flush();
  } catch (...) { // NOLINT(bugprone-empty-catch): see the header
  }
}

void RecordWriter::append(const nlohmann::json& record) {
  GV_CHECK(record.is_object() && record.contains("type"));
  GV_CHECK(record["type"].is_string());
  const std::string line = dump_json(record) + "\n";
  const std::lock_guard lock(state_->mutex);
  if (state_->error) std::rethrow_exception(state_->error);
  state_->buffer += line;
  if (state_->buffer.size() >= kFlushBytes) state_->flush();
}

void RecordWriter::flush() {
  const std::lock_guard lock(state_->mutex);
  state_->flush();
}

} // namespace grapevine::record
