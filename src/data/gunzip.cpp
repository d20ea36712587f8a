#include "data/gunzip.h"

#include "base/check.h"
#include "base/error.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>

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

} // namespace grapevine::data
