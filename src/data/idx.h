// The idx format of MNIST and its kin, gzipped (by the name's .gz) or plain:
// big-endian 32-bit words, then one byte an element.
//
//   images   0x00000803, count, rows, columns, pixels…
//   labels   0x00000801, count, labels…
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace grapevine::data {

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
