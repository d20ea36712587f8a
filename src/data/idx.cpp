#include "data/idx.h"

#include "base/check.h"
#include "base/error.h"
#include "data/file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <span>

namespace grapevine::data {
namespace {

// Inflates with the gzip frame (16) and the largest window (15 bits).
class Inflater {
 public:
  Inflater() { GV_CHECK_EQ(inflateInit2(&stream_, 16 + 15), Z_OK); }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  z_stream* operator->() { return &stream_; }
  int run() { return ::inflate(&stream_, Z_NO_FLUSH); }

 private:
  z_stream stream_{};
};

} // namespace

std::vector<uint8_t> gunzip(
    std::span<const uint8_t> packed,
    int64_t limit,
    const std::string& path) {
  if (packed.size() < 2 || packed[0] != 0x1f || packed[1] != 0x8b) {
    throw IoError(fmt::format(
        "{}: expected a gzip file (first bytes 1f 8b), found {}",
        path,
        packed.size() < 2
            ? fmt::format("{} bytes", packed.size())
            : fmt::format("{:02x} {:02x}", packed[0], packed[1])));
  }
  // zlib counts in 32 bits, and no data set here comes near that.
  constexpr int64_t kMost = std::numeric_limits<uInt>::max();
  GV_CHECK_LE(limit, kMost);
  if (static_cast<int64_t>(packed.size()) > kMost) {
    throw IoError(fmt::format(
        "{}: expected at most {} bytes, found {}",
        path,
        kMost,
        packed.size()));
  }
  std::vector<uint8_t> bytes(limit);
  Inflater inflater;
  inflater->next_in = const_cast<Bytef*>(packed.data());
  inflater->avail_in = static_cast<uInt>(packed.size());
  inflater->next_out = bytes.data();
  inflater->avail_out = static_cast<uInt>(limit);
  const int result = inflater.run();
  const auto found = limit - static_cast<int64_t>(inflater->avail_out);
  bytes.resize(found);
  if (result == Z_STREAM_END) {
    if (inflater->avail_in == 0) return bytes;
    throw IoError(fmt::format(
        "{}: expected the end of the file after {} bytes, found {} more",
        path,
        packed.size() - inflater->avail_in,
        inflater->avail_in));
  }
  if (inflater->avail_out == 0) return bytes; // more than anybody wants
  if (result == Z_OK || result == Z_BUF_ERROR) {
    throw IoError(fmt::format(
        "{}: truncated: expected a whole gzip stream, found its end missing "
        "after {} bytes ({} unpacked)",
        path,
        packed.size(),
        found));
  }
  throw IoError(fmt::format(
      "{}: corrupt: expected a gzip stream, found {} after {} bytes unpacked",
      path,
      inflater->msg != nullptr ? inflater->msg : "an error",
      found));
}

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
