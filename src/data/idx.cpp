#include "data/idx.h"

#include "base/error.h"
#include "data/file.h"
#include "data/gunzip.h"

#include <fmt/format.h>

#include <span>

namespace grapevine::data {
namespace {

struct HeaderWord {
  const char* meaning;
  int64_t expected;
};

int64_t big_endian_word(const uint8_t* bytes) {
  return int64_t{bytes[0]} << 24 | int64_t{bytes[1]} << 16 |
         int64_t{bytes[2]} << 8 | int64_t{bytes[3]};
}

// The elements behind a header of exactly these words.
std::vector<uint8_t> read_idx(
    const std::string& path,
    std::span<const HeaderWord> header,
    int64_t elements) {
  const auto header_bytes = static_cast<int64_t>(header.size() * 4);
  const int64_t expected = header_bytes + elements;
  auto bytes = read_file(path);
  if (path.ends_with(".gz")) bytes = gunzip(bytes, expected + 1, path);
  const auto found = static_cast<int64_t>(bytes.size());

  // The header first: it says most about what the file really is.
  for (size_t i = 0; i < header.size() && (i + 1) * 4 <= bytes.size(); ++i) {
    const int64_t word = big_endian_word(&bytes[i * 4]);
    if (word != header[i].expected) {
      throw IoError(fmt::format(
          "{}: expected {} {}, found {}",
          path,
          header[i].meaning,
          header[i].expected,
          word));
    }
  }
  if (found != expected) {
    throw IoError(fmt::format(
        "{}: expected {} bytes{}, found {}",
        path,
        expected,
        path.ends_with(".gz") ? " unpacked" : "",
        found > expected ? "more" : std::to_string(found)));
  }
  bytes.erase(bytes.begin(), bytes.begin() + header_bytes);
  return bytes;
}

} // namespace

std::vector<uint8_t> read_idx_images(
    const std::string& path,
    const IdxImages& expected) {
  const HeaderWord header[] = {
      {"magic number", 0x803},
      {"number of images", expected.count},
      {"rows", expected.rows},
      {"columns", expected.columns}};
  return read_idx(
      path,
      header,
      expected.count * expected.rows * expected.columns);
}

std::vector<uint8_t>
read_idx_labels(const std::string& path, int64_t count, int classes) {
  const HeaderWord header[] = {
      {"magic number", 0x801},
      {"number of labels", count}};
  auto labels = read_idx(path, header, count);
  for (size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] >= classes) {
      throw IoError(fmt::format(
          "{}: expected labels below {}, found {} at sample {}",
          path,
          classes,
          labels[i],
          i));
    }
  }
  return labels;
}

} // namespace grapevine::data
