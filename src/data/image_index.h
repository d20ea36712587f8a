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
#pragma once

#include "data/image_folder.h"

#include <optional>
#include <string>
#include <vector>

namespace grapevine::data {

// Nothing where there is no index, or a broken or stale one. IoError where the
// folder itself cannot be looked into.
std::optional<ImageFolder> read_image_index(
    const std::string& file,
    const std::string& folder);

// Whether it could be written.
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
