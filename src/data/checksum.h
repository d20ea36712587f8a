#pragma once

#include <string>

namespace grapevine::data {

// The published checksum of a file. SHA-256 wherever there is one; MD5 only
// tells a broken download, and what comes out of such a file is checked by
// SHA-256 again.
struct Checksum {
  enum class Kind { kSha256, kMd5 };
  Kind kind = Kind::kSha256;
  std::string hex; // lower case

  std::string kind_name() const;
};

// Of the file's bytes, in lower-case hexadecimal. Throws IoError.
std::string file_digest(const std::string& path, Checksum::Kind kind);

} // namespace grapevine::data
