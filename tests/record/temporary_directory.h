// A fresh directory for one test, removed at its end.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace grapevine::record {

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "record_test.XXXXXX")
            .string();
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    path_ = pattern;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const {
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

inline std::vector<std::string> names_in(
    const std::filesystem::path& directory) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

// A new file each time: ext4 flushes a file that is truncated and written
// again, which takes milliseconds.
inline void put(const std::filesystem::path& path, const std::string& bytes) {
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  std::ofstream(path, std::ios::binary) << bytes;
}

inline std::string get(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Runs the statement, expects the exception, and that its message holds the
// text.
#define EXPECT_THROW_WITH(statement, Exception, text)                  \
  try {                                                                \
    statement;                                                         \
    ADD_FAILURE() << "no exception from " #statement;                  \
  } catch (const Exception& error) {                                   \
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) \
        << error.what();                                               \
  }

} // namespace grapevine::record
