// A folder of the test's own, gone with it, and files to put into it.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

// Expects that a message contains these words.
#define EXPECT_SAYS(message, words) \
  EXPECT_NE((message).find(words), std::string::npos) << (message)

namespace grapevine::data {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    auto name =
        (std::filesystem::temp_directory_path() / "grapevine-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const {
    return path_ + "/" + name;
  }
  // Returns the file's path; makes the folders above.
  std::string write(const std::string& name, std::string_view bytes) const {
    const auto path = *this / name;
    std::filesystem::create_directories(
        std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

 private:
  std::string path_;
};

inline std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::string gzip(std::string_view bytes) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 16 + 15, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, bytes.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

inline std::string big_endian(uint32_t word) {
  return {
      static_cast<char>(word >> 24),
      static_cast<char>(word >> 16),
      static_cast<char>(word >> 8),
      static_cast<char>(word)};
}

// Runs `action`, which has to throw an E, and gives its message.
template <typename E, typename Action>
std::string message_of(Action&& action) {
  try {
    action();
  } catch (const E& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

} // namespace grapevine::data
