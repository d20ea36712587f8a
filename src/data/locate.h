// Finding the folder in which a set's files lie.
#pragma once

#include "data/source.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

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

// Where data sets are kept on this machine, by the environment. For cli/ only:
// everything below takes its folders in options.

// In order, those that are set: $GRAPEVINE_DATA, default_data_cache(),
// /usr/share/datasets (Debian's packages). Goes into
// DataOptions::search_path. Reads the environment: called by cli/ only.
std::vector<std::string> default_data_path();

// $XDG_CACHE_HOME/grapevine, else $HOME/.cache/grapevine, else empty.
// `grapevine data get NAME` puts a set into NAME/ below it unless
// $GRAPEVINE_DATA or a flag says otherwise. Called by cli/ only.
std::string default_data_cache();

} // namespace grapevine::data
