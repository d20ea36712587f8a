#include "record/line_file.h"

#include "record/posix.h"

#include <cerrno>
#include <span>
#include <string>

#include <fcntl.h>

namespace grapevine::record {
namespace {

constexpr size_t kChunk = size_t{1} << 20;

} // namespace

void read_lines(const std::filesystem::path& path, const LineVisitor& visit) {
  const Descriptor file = open_descriptor(path, O_RDONLY);
  if (!file.valid()) throw_io_error("open", path, errno);
  std::string text;      // from the begin of a line on
  size_t searched = 0;   // bytes of it that hold no newline
  bool too_long = false; // the line has lost its begin
  for (int64_t offset = 0;;) {
    text.reserve(text.size() + kChunk + kLinePadding);
    text.resize(text.size() + kChunk);
    const auto room = std::span(text).last(kChunk);
    const int64_t bytes =
        read_at(file.number(), std::as_writable_bytes(room), offset);
    if (bytes < 0) throw_io_error("read", path, errno);
    text.resize(text.size() - kChunk + static_cast<size_t>(bytes));
    if (bytes == 0) break;
    offset += bytes;
    const std::string_view view = text;
    size_t begin = 0;
    for (size_t end = view.find('\n', searched); end != std::string_view::npos;
         end = view.find('\n', begin)) {
      visit(too_long ? "" : view.substr(begin, end - begin), !too_long);
      too_long = false;
      begin = end + 1;
    }
    text.erase(0, begin);
    if (text.size() > kLongestLine) {
      too_long = true;
      text.clear();
    }
    searched = text.size();
  }
  if (too_long || !text.empty())
    visit(too_long ? std::string_view() : text, false);
}

} // namespace grapevine::record
