// A folder of images in ImageNet's layout: a folder a class, a JPEG a sample.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace grapevine::data {

struct ImageFolder {
  struct Class {
    std::string name; // of its folder
    // When the folder last changed, before it was looked into: nanoseconds
    // since 1970, by the file system.
    int64_t changed = 0;
    int64_t files = 0;
  };

  std::string path;
  std::vector<Class> classes;  // by name; the label is the place among them
  std::string names;           // of all files, class by class, "\n" behind each
  std::vector<int64_t> begins; // of each name
  std::vector<int32_t> labels; // of each file

  int64_t size() const { return static_cast<int64_t>(labels.size()); }
  std::string name_of(int64_t file) const;
  std::string path_of(int64_t file) const;
  // Behind all others; its class is the last one.
  void add(std::string_view name);
};

// Names of classes, in order: of the folders in it, hidden ones not counted.
// IoError where it cannot be looked into.
std::vector<std::string> class_names(const std::string& folder);

// When a folder last changed, as in Class::changed. IoError: it is not there.
int64_t folder_changed(const std::string& folder);

// Looks at every file: all that are not hidden must be called *.JPEG, *.jpeg,
// *.JPG or *.jpg and begin as JPEGs do. IoError names the file, or the folder
// without classes, or the class without files.
ImageFolder read_image_folder(const std::string& folder);

} // namespace grapevine::data
