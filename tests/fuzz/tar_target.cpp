#include "data/tar.h"
#include "fuzz/support.h"

namespace grapevine::fuzz {

void read_tar(Bytes input) {
  static const Folder folder;
  Choices choices(input);
  const bool packed = choices.next(2) == 0;
  const auto path =
      folder.write("input.tar.gz", packed ? input : bytes_of(gzip(input)));
  data::read_tar_gz(
      path,
      [](const std::string& name, int64_t bytes) -> data::MemberSink {
        GV_CHECK(!name.empty() && name.front() != '/');
        GV_CHECK_GE(bytes, 0);
        // Names that end like this are passed over.
        if (name.ends_with('x')) return {};
        return [left = bytes](std::span<const char> part) mutable {
          left -= static_cast<int64_t>(part.size());
          GV_CHECK(part.empty() ? left == 0 : left >= 0);
        };
      });
}

} // namespace grapevine::fuzz
