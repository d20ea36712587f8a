// Whole files in, checked files out.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace grapevine::data {

// Throws IoError: the file and the system's reason.
std::vector<uint8_t> read_file(const std::string& path);

// A file that is written under `path`.part and gets its name last, so that
// what carries the name is whole. Every failure is an IoError with the path
// and the system's reason (a full disk too). Without commit() the .part stays
// as it is: the caller either goes on with it later or calls discard().
class PartFile {
 public:
  // keep_old: go on after the bytes that an earlier .part holds. Makes the
  // folders above.
  PartFile(std::string path, bool keep_old);

  int64_t size() const { return size_; }
  void write(std::span<const char> bytes);
  // Empties it.
  void restart();
  // Closes it, with everything on its way to the disk.
  void close();
  void commit();
  void discard() noexcept;

  const std::string& part_path() const { return part_path_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void open(const char* mode);
  [[noreturn]] void fail(const char* what) const;

  std::string path_;
  std::string part_path_;
  std::unique_ptr<std::FILE, Close> file_;
  int64_t size_ = 0;
};

} // namespace grapevine::data
