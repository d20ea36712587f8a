// A folder of the test's own, gone with it, for a run and its data.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace grapevine::run {

class Folder {
 public:
  Folder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "gv-train-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string operator/(const std::string& name) const {
    return (path_ / name).string();
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
  }

 private:
  std::filesystem::path path_;
};

// Text of letters with a pattern, as input.txt.
inline void write_text(const Folder& folder, int letters) {
  std::string text;
  for (int i = 0; i < letters; ++i)
    text += static_cast<char>('a' + i * i % 26);
  folder.write("input.txt", text);
}

} // namespace grapevine::run
