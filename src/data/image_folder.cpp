#include "data/image_folder.h"

#include "base/error.h"
#include "data/jpeg.h"

#include <fmt/format.h>

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

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

} // namespace grapevine::data
