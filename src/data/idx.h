// The idx format of MNIST and its kin, gzipped (if the name ends in .gz) or
// plain: big-endian 32-bit words, then one byte per element.
//
//   images   0x00000803, count, rows, columns, pixels…
//   labels   0x00000801, count, labels…
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace grapevine::data {

// Unpacks one gzip member, at most `limit` bytes of it (a reader that expects N
// asks for N + 1, so that a wrong file cannot fill the memory). By zlib, since
// libarchive does not verify the checksum. Throws IoError naming `path`: not
// gzip, ends early, corrupt (checksum included), bytes after the end.
std::vector<uint8_t>
gunzip(std::span<const uint8_t> packed, int64_t limit, const std::string& path);

struct IdxImages {
  int64_t count;
  int64_t rows;
  int64_t columns;
};

// The pixels of a file of exactly these dimensions, image after image.
// Throws IoError (file, expected, found) for anything else.
std::vector<uint8_t> read_idx_images(
    const std::string& path,
    const IdxImages& expected);

// `count` labels, all below `classes`; else as above.
std::vector<uint8_t>
read_idx_labels(const std::string& path, int64_t count, int classes);

} // namespace grapevine::data
