#include "data/tar.h"

#include "base/error.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace grapevine::data {
namespace {

constexpr int64_t kBlock = 512;
using Block = std::array<char, kBlock>;

class GzipStream {
 public:
  explicit GzipStream(const std::string& path)
      : path_(path),
        file_(gzopen(path.c_str(), "rb"), gzclose) {
    if (!file_) fail(fmt::format("cannot open: {}", strerror(errno)));
    gzbuffer(file_.get(), 1 << 18);
  }

  // Fills `bytes`, or throws.
  void read(std::span<char> bytes) {
    const int got =
        gzread(file_.get(), bytes.data(), static_cast<unsigned>(bytes.size()));
    int code = Z_OK;
    const char* message = gzerror(file_.get(), &code);
    if (got < 0 || (code != Z_OK && code != Z_BUF_ERROR)) {
      fail(fmt::format("corrupt at byte {}: {}", position_, message));
    }
    position_ += got;
    if (got < static_cast<int>(bytes.size())) {
      fail(fmt::format(
          "truncated: expected more after {} unpacked bytes, found the end",
          position_));
    }
    // zlib takes what is not gzip for plain data.
    if (gzdirect(file_.get()) != 0) fail("expected a gzip file, found none");
  }

  // Reads on to the end, where gzip has its checksum.
  void finish() {
    std::vector<char> rest(kBlock * 20);
    while (gzread(file_.get(), rest.data(), kBlock * 20) > 0) {
    }
    int code = Z_OK;
    const char* message = gzerror(file_.get(), &code);
    if (code == Z_BUF_ERROR)
      fail("truncated: the end of the gzip stream is missing");
    if (code != Z_OK) fail(fmt::format("corrupt: {}", message));
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw IoError(fmt::format("{}: {}", path_, what));
  }

 private:
  std::string path_;
  std::unique_ptr<gzFile_s, int (*)(gzFile)> file_;
  int64_t position_ = 0;
};

struct Member {
  std::string name;
  int64_t bytes;
  bool regular;
};

// A field up to its zero or its end.
std::string_view field(const Block& block, size_t at, size_t length) {
  const std::string_view whole(block.data() + at, length);
  return whole.substr(0, whole.find('\0'));
}

// Octal digits between spaces; nothing for anything else.
std::optional<int64_t> octal(std::string_view text) {
  const auto begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return std::nullopt;
  int64_t value = 0;
  for (const char c : text.substr(begin)) {
    if (c == ' ') break;
    if (c < '0' || c > '7') return std::nullopt;
    value = value * 8 + (c - '0');
  }
  return value;
}

// The sum of the header's bytes, its own field counted as spaces.
int64_t header_sum(const Block& block) {
  int64_t sum = int64_t{8} * ' ';
  for (size_t i = 0; i < block.size(); ++i) {
    if (i < 148 || i >= 156) sum += static_cast<unsigned char>(block[i]);
  }
  return sum;
}

bool climbs(std::string_view name) {
  if (name.empty() || name.front() == '/') return true;
  while (!name.empty()) {
    const auto slash = name.find('/');
    if (name.substr(0, slash) == "..") return true;
    if (slash == std::string_view::npos) break;
    name.remove_prefix(slash + 1);
  }
  return false;
}

Member parse_header(const Block& block, const GzipStream& stream) {
  const auto sum = octal(field(block, 148, 8));
  const auto bytes = octal(field(block, 124, 12));
  if (!sum || *sum != header_sum(block) || !bytes) {
    stream.fail("expected a tar header, found something else");
  }
  std::string name(field(block, 0, 100));
  const auto prefix = field(block, 345, 155);
  if (field(block, 257, 5) == "ustar" && !prefix.empty()) {
    name = fmt::format("{}/{}", prefix, name);
  }
  const char type = block[156];
  return {name, *bytes, type == '0' || type == '\0'};
}

void copy_member(GzipStream& stream, const Member& member, MemberSink& sink) {
  std::vector<char> piece(1 << 18);
  int64_t left = (member.bytes + kBlock - 1) / kBlock * kBlock;
  int64_t wanted = member.bytes; // what is left beyond it is padding
  while (left > 0) {
    const auto now = std::min<int64_t>(left, piece.size());
    const std::span<char> part(piece.data(), now);
    stream.read(part);
    const auto useful = std::min(now, wanted);
    if (sink && useful > 0) sink(part.first(useful));
    wanted -= useful;
    left -= now;
  }
  if (sink) sink({});
}

} // namespace

void read_tar_gz(
    const std::string& path,
    const std::function<MemberSink(const std::string& name, int64_t bytes)>&
        open) {
  GzipStream stream(path);
  for (;;) {
    Block block;
    stream.read(block);
    // The end is a block of zeros (two, but the first one says it).
    if (std::ranges::all_of(block, [](char c) { return c == '\0'; })) break;
    const Member member = parse_header(block, stream);
    if (member.regular && climbs(member.name)) {
      stream.fail(fmt::format(
          "expected names inside of the archive's folder, found '{}'",
          member.name));
    }
    MemberSink sink;
    if (member.regular) sink = open(member.name, member.bytes);
    copy_member(stream, member, sink);
  }
  stream.finish();
}

} // namespace grapevine::data
