#include "data/image_folder.h"

#include "base/error.h"
#include "base/sha256.h"
#include "data/file.h"
#include "data/jpeg.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <system_error>

namespace grapevine::data {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw IoError(fmt::format("{}: {}", path, reason));
}

// Names in a folder, in order, without hidden ones.
std::vector<std::string> names_in(const std::string& folder, bool folders) {
  std::vector<std::string> names;
  std::error_code failure;
  fs::directory_iterator entry(folder, failure);
  for (const fs::directory_iterator end; !failure && entry != end;
       entry.increment(failure)) {
    const auto name = entry->path().filename().string();
    if (name.starts_with('.')) continue;
    std::error_code ignored; // a link to nothing is no folder
    if (entry->is_directory(ignored) == folders) names.push_back(name);
  }
  if (failure) fail(folder, failure.message());
  std::ranges::sort(names);
  return names;
}

bool is_called_jpeg(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  return name.ends_with(".jpeg") || name.ends_with(".jpg");
}

void check_image(const std::string& path) {
  if (!is_called_jpeg(path)) {
    fail(path, "expected files called .JPEG, .jpeg, .JPG or .jpg only");
  }
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr) fail(path, std::strerror(errno));
  std::array<uint8_t, 3> first{};
  const size_t read = std::fread(first.data(), 1, first.size(), file.get());
  if (begins_as_jpeg(std::span(first).first(read))) return;
  fail(
      path,
      fmt::format(
          "expected a JPEG (FF D8 …), found {}; convert it, or take it away",
          read == 0 ? std::string("no bytes")
                    : fmt::format("{:02X} {:02X} …", first[0], first[1])));
}

} // namespace

std::string ImageFolder::name_of(int64_t file) const {
  return names.substr(
      begins[file],
      names.find('\n', begins[file]) - begins[file]);
}

std::string ImageFolder::path_of(int64_t file) const {
  return path + "/" + classes[labels[file]].name + "/" + name_of(file);
}

void ImageFolder::add(std::string_view name) {
  begins.push_back(static_cast<int64_t>(names.size()));
  names += name;
  names += '\n';
  labels.push_back(static_cast<int32_t>(classes.size()) - 1);
  ++classes.back().files;
}

std::vector<std::string> class_names(const std::string& folder) {
  return names_in(folder, /*folders=*/true);
}

int64_t folder_changed(const std::string& folder) {
  struct stat found {};
  if (::stat(folder.c_str(), &found) != 0) fail(folder, std::strerror(errno));
  return static_cast<int64_t>(found.st_mtim.tv_sec) * 1'000'000'000 +
         found.st_mtim.tv_nsec;
}

ImageFolder read_image_folder(const std::string& folder) {
  ImageFolder images;
  images.path = folder;
  for (const std::string& name : class_names(folder)) {
    const std::string path = folder + "/" + name;
    images.classes.push_back({.name = name, .changed = folder_changed(path)});
    for (const std::string& file : names_in(path, /*folders=*/false)) {
      if (file.find('\n') != std::string::npos) {
        fail(path + "/" + file, "a file's name may not have several lines");
      }
      check_image(path + "/" + file);
      images.add(file);
    }
    if (images.classes.back().files == 0) fail(path, "a class without images");
  }
  if (images.classes.empty()) {
    fail(folder, "expected a folder for each class, found none");
  }
  return images;
}

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kIndexMagic = "grapevine image index 1\n";
constexpr std::string_view kSeal = "sha256 ";
constexpr int64_t kSettled = 2'000'000'000; // ns

std::string seal_of(std::string_view text) {
  Sha256 hash;
  hash.update(std::as_bytes(std::span(text)));
  return fmt::format("{}{}\n", kSeal, hash.hex());
}

// The lines of a text whose seal is right, taken from its front; any that is
// not there makes it broken.
class IndexLines {
 public:
  explicit IndexLines(std::string_view text) : rest_(text) {}

  bool is_broken() const { return is_broken_; }
  bool at_end() const { return rest_.empty(); }

  std::string_view next() {
    const size_t end = rest_.find('\n');
    if (end == std::string_view::npos) {
      is_broken_ = true;
      rest_ = {};
      return {};
    }
    const auto line = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return line;
  }

  // A word and the space behind it, off the front of a line.
  static std::string_view word(std::string_view& line) {
    const size_t end = std::min(line.find(' '), line.size());
    const auto word = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    return word;
  }

  int64_t number(std::string_view word) {
    int64_t value = -1;
    const auto* const end = word.data() + word.size();
    const auto [stop, failure] = std::from_chars(word.data(), end, value);
    if (failure != std::errc() || stop != end || value < 0) is_broken_ = true;
    return value;
  }

 private:
  std::string_view rest_;
  bool is_broken_ = false;
};

// The text between magic and seal, if both are right.
std::optional<std::string_view> unsealed(std::string_view text) {
  if (!text.starts_with(kIndexMagic)) return std::nullopt;
  const size_t seal = text.rfind(kSeal);
  if (seal == std::string_view::npos || seal < kIndexMagic.size())
    return std::nullopt;
  if (text.substr(seal) != seal_of(text.substr(0, seal))) return std::nullopt;
  return text.substr(kIndexMagic.size(), seal - kIndexMagic.size());
}

std::optional<ImageFolder> parse(std::string_view text) {
  const auto body = unsealed(text);
  if (!body) return std::nullopt;
  ImageFolder images;
  IndexLines lines(*body);
  while (!lines.at_end()) {
    std::string_view head = lines.next();
    const auto changed = lines.number(IndexLines::word(head));
    const auto files = lines.number(IndexLines::word(head));
    images.classes.push_back({.name = std::string(head), .changed = changed});
    for (int64_t i = 0; i < files && !lines.is_broken(); ++i)
      images.add(lines.next());
    if (lines.is_broken() || head.empty()) return std::nullopt;
  }
  return images;
}

bool holds(
    const ImageFolder& images,
    const std::string& folder,
    int64_t written) {
  const auto names = class_names(folder);
  if (names.size() != images.classes.size()) return false;
  for (size_t c = 0; c < names.size(); ++c) {
    const auto& known = images.classes[c];
    if (known.name != names[c]) return false;
    if (folder_changed(folder + "/" + names[c]) != known.changed) return false;
    if (known.changed + kSettled > written) return false;
  }
  return !names.empty();
}

} // namespace

std::optional<ImageFolder> read_image_index(
    const std::string& file,
    const std::string& folder) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return std::nullopt;
  std::optional<ImageFolder> images;
  int64_t written = 0;
  try {
    written = folder_changed(file); // a file has a time as well
    const auto bytes = read_file(file);
    images = parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  } catch (const IoError&) {
    return std::nullopt;
  }
  if (!images || !holds(*images, folder, written)) return std::nullopt;
  images->path = folder;
  return images;
}

bool write_image_index(const std::string& file, const ImageFolder& images) {
  std::string text(kIndexMagic);
  int64_t next = 0;
  for (const auto& [name, changed, files] : images.classes) {
    if (name.find('\n') != std::string::npos) return false;
    text += fmt::format("{} {} {}\n", changed, files, name);
    for (int64_t i = 0; i < files; ++i)
      text += images.name_of(next++) + '\n';
  }
  text += seal_of(text);
  const std::string own = fmt::format("{}.{}", file, ::getpid());
  try {
    PartFile part(own, /*keep_old=*/false);
    try {
      part.write(text);
      part.commit();
    } catch (const IoError&) {
      part.discard();
      return false;
    }
  } catch (const IoError&) {
    return false; // a place that cannot be written
  }
  std::error_code failure;
  fs::rename(own, file, failure);
  if (!failure) return true;
  std::error_code ignored;
  fs::remove(own, ignored);
  return false;
}

std::vector<std::string> image_index_files(
    const std::string& folder,
    const std::vector<std::string>& places) {
  std::error_code ignored;
  const fs::path whole = fs::weakly_canonical(folder, ignored);
  const fs::path given(folder);
  std::vector<std::string> files = {
      (given.parent_path() /
       fmt::format(".grapevine-{}.index", given.filename().string()))
          .string()};
  constexpr size_t kDigits = 16;
  const std::string text = whole.string();
  Sha256 hash;
  hash.update(std::as_bytes(std::span(text)));
  for (const auto& place : places) {
    files.push_back(
        place + "/image-index/" + hash.hex().substr(0, kDigits) + ".index");
  }
  return files;
}

ImageFolder open_image_folder(
    const std::string& folder,
    const std::vector<std::string>& places) {
  const auto files = image_index_files(folder, places);
  for (const auto& file : files) {
    if (auto images = read_image_index(file, folder)) return *std::move(images);
  }
  ImageFolder images = read_image_folder(folder);
  for (const auto& file : files) {
    if (write_image_index(file, images)) break;
  }
  return images;
}

} // namespace grapevine::data
