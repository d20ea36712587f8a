#include "data/locate.h"

#include "base/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace grapevine::data {
namespace {

namespace fs = std::filesystem;

bool holds_one_of(
    const std::string& folder,
    const FileSet& set,
    bool was_given) {
  std::error_code ignored; // what cannot be looked into holds nothing
  if (set.files.front().ends_with('/')) {
    return std::ranges::all_of(set.files, [&](const std::string& name) {
      return fs::is_directory(fs::path(folder) / name, ignored);
    });
  }
  for (const auto& file : set.files) {
    if (fs::is_regular_file(fs::path(folder) / file, ignored)) return true;
  }
  return was_given && !set.extension.empty() &&
         !files_ending_with(folder, set.extension).empty();
}

void add_place(
    const std::string& place,
    const FileSet& set,
    std::vector<std::string>& folders) {
  for (const auto& base : {place + "/" + set.name, place}) {
    folders.push_back(base);
    if (!set.archive_folder.empty()) {
      folders.push_back(base + "/" + set.archive_folder);
    }
  }
}

} // namespace

std::vector<std::string> files_ending_with(
    const std::string& folder,
    const std::string& extension) {
  std::vector<std::string> names;
  std::error_code failure;
  for (fs::directory_iterator file(folder, failure), end;
       !failure && file != end;
       file.increment(failure)) {
    std::error_code ignored;
    const auto name = file->path().filename().string();
    if (name.ends_with(extension) && file->is_regular_file(ignored)) {
      names.push_back(name);
    }
  }
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> candidate_folders(
    const FileSet& set,
    const DataOptions& options) {
  std::vector<std::string> folders;
  if (options.directory.empty()) {
    for (const auto& place : options.search_path) {
      add_place(place, set, folders);
    }
    return folders;
  }
  std::error_code ignored;
  if (!fs::is_directory(options.directory, ignored)) {
    throw ConfigError(fmt::format(
        "data directory '{}' is not a directory; give the folder that holds "
        "{}, or none to search for it",
        options.directory,
        set.files.front()));
  }
  add_place(options.directory, set, folders);
  return folders;
}

std::optional<std::string> find_folder(
    const FileSet& set,
    const DataOptions& options) {
  for (auto& folder : candidate_folders(set, options)) {
    if (holds_one_of(folder, set, !options.directory.empty())) return folder;
  }
  return std::nullopt;
}

std::string require_folder(const FileSet& set, const DataOptions& options) {
  if (auto folder = find_folder(set, options)) return *folder;
  const auto tried = candidate_folders(set, options);
  throw IoError(fmt::format(
      "expected {}, found it in none of: {}",
      set.files.front(),
      tried.empty() ? "(no place to search)"
                    : fmt::format("{}", fmt::join(tried, ", "))));
}

namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

} // namespace

std::string default_data_cache() {
  if (const auto cache = environment("XDG_CACHE_HOME"); !cache.empty()) {
    return cache + "/grapevine";
  }
  const auto home = environment("HOME");
  return home.empty() ? std::string() : home + "/.cache/grapevine";
}

std::vector<std::string> default_data_path() {
  std::vector<std::string> places;
  for (const auto& place :
       {environment("GRAPEVINE_DATA"),
        default_data_cache(),
        std::string("/usr/share/datasets")}) {
    if (!place.empty()) places.push_back(place);
  }
  return places;
}

} // namespace grapevine::data
