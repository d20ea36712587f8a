// Help for the targets: a folder in memory for readers that take paths, and an
// input that says how it is to be read.
#pragma once

#include "base/check.h"
#include "fuzz/targets.h"

#include <unistd.h>
#include <zlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace grapevine::fuzz {

inline std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline Bytes bytes_of(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// Gone with the process.
class Folder {
 public:
  Folder() {
    const char* memory = "/dev/shm";
    std::string name = ::access(memory, W_OK) == 0
                           ? memory
                           : std::filesystem::temp_directory_path().string();
    name += "/grapevine-fuzz-XXXXXX";
    GV_CHECK(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  // Makes the folders above; returns the file's path.
  std::string write(const std::string& name, Bytes bytes) const {
    const auto path = path_ / name;
    std::ofstream file(path, std::ios::binary);
    if (!file) {
      std::filesystem::create_directories(path.parent_path());
      file.open(path, std::ios::binary);
    }
    file << text_of(bytes);
    file.close();
    GV_CHECK(file.good());
    return path.string();
  }

 private:
  std::filesystem::path path_;
};

// The first byte of an input, for the choices of its target; the rest is what
// is read.
class Choices {
 public:
  explicit Choices(Bytes& input) {
    if (input.empty()) return;
    byte_ = input.front();
    input = input.subspan(1);
  }
  // One of 0 … count - 1; the next call has what is left of the byte.
  int next(int count) {
    const int choice = byte_ % count;
    byte_ /= count;
    return choice;
  }

 private:
  int byte_ = 0;
};

// A gzip file of these bytes. Mutations of a packed file seldom unpack, so
// what lies behind the unpacking is reached by packing mutations.
inline std::string gzip(Bytes bytes) {
  z_stream stream{};
  GV_CHECK_EQ(deflateInit2(&stream, 1, Z_DEFLATED, 16 + 15, 8, 0), Z_OK);
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = const_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  GV_CHECK_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

} // namespace grapevine::fuzz
