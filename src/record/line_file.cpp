#include "record/line_file.h"

#include "record/posix.h"

#include <cerrno>
#include <cstring>
#include <memory>
#include <span>

#include <fcntl.h>

namespace grapevine::record {
namespace {

constexpr size_t kChunk = size_t{1} << 20;

// Bytes that were read and not yet passed on, with room behind them.
class Buffer {
 public:
  // Room for a chunk more; moves what is left to the front.
  std::span<std::byte> room() {
    if (begin_ > 0) {
      std::memmove(data_.get(), data_.get() + begin_, size());
      end_ -= begin_;
      begin_ = 0;
    }
    if (end_ + kChunk > capacity_) grow();
    return std::as_writable_bytes(std::span(data_.get() + end_, kChunk));
  }
  void add(size_t bytes) { end_ += bytes; }

  size_t size() const { return end_ - begin_; }
  std::string_view text() const { return {data_.get() + begin_, size()}; }
  void drop(size_t bytes) { begin_ += bytes; }

 private:
  void grow() {
    capacity_ = 2 * (end_ + kChunk);
    auto larger = std::make_unique<char[]>(capacity_ + kLinePadding);
    if (end_ > 0) std::memcpy(larger.get(), data_.get(), end_);
    data_ = std::move(larger);
  }

  std::unique_ptr<char[]> data_;
  size_t capacity_ = 0;
  size_t begin_ = 0;
  size_t end_ = 0;
};

// Cuts what comes in into lines; leaves out what is too long.
class Cutter {
 public:
  explicit Cutter(const LineVisitor& visit) : visit_(visit) {}

  void take(Buffer& buffer) {
    for (;;) {
      const std::string_view text = buffer.text();
      const size_t newline = text.find('\n', searched_);
      if (newline == std::string_view::npos) break;
      visit_(too_long_ ? "" : text.substr(0, newline), !too_long_);
      too_long_ = false;
      searched_ = 0;
      buffer.drop(newline + 1);
    }
    searched_ = buffer.size();
    if (searched_ > kLongestLine) {
      too_long_ = true;
      buffer.drop(searched_);
      searched_ = 0;
    }
  }

  void finish(const Buffer& buffer) const {
    if (too_long_) visit_("", false);
    if (!too_long_ && buffer.size() > 0) visit_(buffer.text(), false);
  }

 private:
  const LineVisitor& visit_;
  size_t searched_ = 0; // bytes of the buffer known to hold no newline
  bool too_long_ = false;
};

} // namespace

void read_lines(const std::filesystem::path& path, const LineVisitor& visit) {
  const Descriptor file = open_descriptor(path, O_RDONLY);
  if (!file.valid()) throw_io_error("open", path, errno);
  Buffer buffer;
  Cutter cutter(visit);
  for (int64_t offset = 0;;) {
    const int64_t bytes = read_at(file.number(), buffer.room(), offset);
    if (bytes < 0) throw_io_error("read", path, errno);
    if (bytes == 0) break;
    offset += bytes;
    buffer.add(static_cast<size_t>(bytes));
    cutter.take(buffer);
  }
  cutter.finish(buffer);
}

} // namespace grapevine::record
