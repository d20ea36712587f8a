// The lines of a file of any size, in bounded memory.
//
// A file that another process is appending to may be read: what is there when
// the reader reaches the end is what it sees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

namespace grapevine::record {

// Behind every line at least this many bytes may be read (not meant): parsers
// that work in wide words want it.
inline constexpr size_t kLinePadding = 64;
// A longer line is none of ours; it is passed as not whole, with no text.
inline constexpr size_t kLongestLine = size_t{1} << 28;

// `whole`: ended by its newline, which is not part of `line`. The line's bytes
// are valid during the call.
using LineVisitor = std::function<void(std::string_view line, bool whole)>;

// IoError if the file cannot be opened or read.
void read_lines(const std::filesystem::path& path, const LineVisitor& visit);

} // namespace grapevine::record
