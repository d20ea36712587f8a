// Finding the folder in which a set's files lie.
#pragma once

#include "data/source.h"

#include <optional>
#include <span>
#include <string>

namespace grapevine::data {

struct FileSet {
  std::string name; // of the data set
  // Any one of these says that the set is here. What is missing beside it is
  // an error of the reader, which knows what to ask for. Folders have a "/"
  // behind their names; as such names are common, all of them must be there.
  std::vector<std::string> files;
  std::string archive_folder; // of the published archive; may be empty
  // In a folder that the user gave, a file that ends like this will do too;
  // empty: none does.
  std::string extension = {};
};

// Names of the regular files in a folder that end like this, in order; none
// where it cannot be looked into.
std::vector<std::string> files_ending_with(
    const std::string& folder,
    const std::string& extension);

// The folders that are tried, in order. Throws ConfigError when
// options.directory is given and is no directory.
std::vector<std::string> candidate_folders(
    const FileSet& set,
    const DataOptions& options);

// The first candidate that holds one of the files.
std::optional<std::string> find_folder(
    const FileSet& set,
    const DataOptions& options);

// The same, or an IoError that names the set's first file and every folder
// that was tried.
std::string require_folder(const FileSet& set, const DataOptions& options);

} // namespace grapevine::data
