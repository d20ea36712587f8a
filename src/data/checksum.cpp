#include "data/checksum.h"

#include "base/check.h"
#include "base/error.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

namespace grapevine::data {

std::string Checksum::kind_name() const {
  return kind == Kind::kSha256 ? "sha256" : "md5";
}

std::string file_digest(const std::string& path, Checksum::Kind kind) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      std::fopen(path.c_str(), "rb"),
      std::fclose);
  if (!file) {
    throw IoError(fmt::format("{}: cannot open: {}", path, strerror(errno)));
  }
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(
      EVP_MD_CTX_new(),
      EVP_MD_CTX_free);
  const EVP_MD* method =
      kind == Checksum::Kind::kSha256 ? EVP_sha256() : EVP_md5();
  GV_CHECK_EQ(EVP_DigestInit_ex(context.get(), method, nullptr), 1);
  std::vector<unsigned char> block(1 << 18);
  size_t got = 0;
  while ((got = std::fread(block.data(), 1, block.size(), file.get())) > 0) {
    GV_CHECK_EQ(EVP_DigestUpdate(context.get(), block.data(), got), 1);
  }
  if (std::ferror(file.get()) != 0) {
    throw IoError(fmt::format("{}: cannot read: {}", path, strerror(errno)));
  }
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  GV_CHECK_EQ(EVP_DigestFinal_ex(context.get(), digest, &length), 1);
  std::string hex;
  for (unsigned int i = 0; i < length; ++i) {
    hex += fmt::format("{:02x}", digest[i]);
  }
  return hex;
}

} // namespace grapevine::data
