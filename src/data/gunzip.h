#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace grapevine::data {

// What one gzip member unpacks to, at most `limit` bytes of it (a reader that
// expects N asks for N + 1, so that a wrong file cannot fill the memory).
// Throws IoError naming `path`: not gzip, ends early, corrupt (checksum
// included), bytes after the end.
std::vector<uint8_t>
gunzip(std::span<const uint8_t> packed, int64_t limit, const std::string& path);

} // namespace grapevine::data
