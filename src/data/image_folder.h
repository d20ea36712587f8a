// A folder of images in ImageNet's layout: a folder a class, a JPEG a sample.
#pragma once

#include <cstdint>
#include <optional>
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

// The list of an image folder's files, kept from one run to the next: looking
// at 1.3 million files takes minutes, reading their list a second.
//
// The format is that of docs/formats.md, "Image index". An index holds as long
// as the folder has the same classes and no class folder has changed since: a
// file added, renamed or removed changes its folder's time. (A file that is
// written again in its place needs no new index: whatever is read is checked
// then.) A folder that changed less than two seconds before the index was
// written is not believed, for a later change might carry the same time.
//
// Processes may read and write one index at once: it gets its name when it is
// whole.
//
// Returns nothing if there is no index, or a broken or stale one. IoError: the
// folder itself cannot be read.
std::optional<ImageFolder> read_image_index(
    const std::string& file,
    const std::string& folder);

// Returns whether it could be written.
bool write_image_index(const std::string& file, const ImageFolder& images);

// Where the index of a folder may lie, best first: beside it, as
// .grapevine-NAME.index, then in image-index/ below each of the places.
std::vector<std::string> image_index_files(
    const std::string& folder,
    const std::vector<std::string>& places);

// By the first index that holds, else by looking; then the list is written
// where it first can be. IoError as read_image_folder.
ImageFolder open_image_folder(
    const std::string& folder,
    const std::vector<std::string>& places);

} // namespace grapevine::data
