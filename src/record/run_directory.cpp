#include "record/run_directory.h"

#include "base/error.h"
#include "record/atomic_file.h"
#include "record/checkpoint.h"
#include "record/json_fields.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <system_error>

namespace grapevine::record {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 5> kFiles = {
    "spec.toml",
    "run.json",
    "averaged.safetensors",
    "best.safetensors",
    "report.html"};
constexpr std::array<std::string_view, 2> kFolders = {"records", "checkpoints"};

// "run.json" of "run.json.tmp-17-0".
std::string without_temporary_mark(const fs::path& path) {
  const std::string name = path.filename().string();
  return is_temporary(path) ? name.substr(0, name.rfind(".tmp-")) : name;
}

bool is_own_file(const fs::path& path) {
  return std::ranges::count(kFiles, without_temporary_mark(path)) > 0;
}

bool is_own_name(const fs::path& path) {
  return is_own_file(path) ||
         std::ranges::count(kFolders, path.filename().string()) > 0;
}

// K of process-K.jsonl, -1 for any other name.
int process_number(const fs::path& path) {
  constexpr std::string_view kPrefix = "process-";
  constexpr std::string_view kSuffix = ".jsonl";
  const std::string name = path.filename().string();
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return -1;
  const char* end = name.data() + name.size() - kSuffix.size();
  int number = -1;
  const auto [stop, error] =
      std::from_chars(name.data() + kPrefix.size(), end, number);
  return error == std::errc() && stop == end ? number : -1;
}

std::vector<fs::path> entries_of(const fs::path& directory) {
  std::error_code error;
  if (!fs::is_directory(directory, error)) return {};
  std::vector<fs::path> entries;
  fs::directory_iterator entry(directory, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    entries.push_back(entry->path());
  }
  if (error) throw_io_error("list", directory, error.value());
  return entries;
}

void remove_file(const fs::path& path) {
  std::error_code error;
  fs::remove(path, error);
  if (error) throw_io_error("remove", path, error.value());
}

// Foreign files may keep the folder alive.
void remove_if_empty(const fs::path& folder) {
  std::error_code ignored;
  fs::remove(folder, ignored);
}

void make_directory(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw_io_error("create", path, error.value());
}

} // namespace

RunDirectory::RunDirectory(fs::path path) : path_(std::move(path)) {}

fs::path RunDirectory::spec_file() const {
  return path_ / "spec.toml";
}

fs::path RunDirectory::run_file() const {
  return path_ / "run.json";
}

fs::path RunDirectory::records(int process) const {
  return path_ / "records" / fmt::format("process-{}.jsonl", process);
}

fs::path RunDirectory::best_model() const {
  return path_ / "best.safetensors";
}

fs::path RunDirectory::checkpoints() const {
  return path_ / "checkpoints";
}

std::vector<fs::path> RunDirectory::record_files() const {
  std::vector<fs::path> files = entries_of(path_ / "records");
  std::erase_if(files, [](const fs::path& path) {
    return process_number(path) < 0;
  });
  std::ranges::sort(files, {}, process_number);
  return files;
}

bool RunDirectory::exists() const {
  std::error_code error;
  return fs::exists(spec_file(), error) || fs::exists(run_file(), error);
}

void RunDirectory::require_run() const {
  std::error_code error;
  if (!fs::exists(path_, error)) return;
  if (!fs::is_directory(path_, error)) {
    throw ConfigError(fmt::format(
        "'{}' is not a directory, so it cannot be a run's; name a new or "
        "empty one",
        path_.string()));
  }
  if (fs::exists(run_file(), error)) return;
  for (const fs::path& entry : entries_of(path_)) {
    if (is_own_name(entry)) continue;
    throw ConfigError(fmt::format(
        "'{}' holds something that is not a run ('{}'); name a new or empty "
        "directory",
        path_.string(),
        entry.filename().string()));
  }
}

void RunDirectory::create() const {
  require_run();
  for (const std::string_view folder : kFolders)
    make_directory(path_ / folder);
}

void RunDirectory::clear() const {
  require_run();
  // run.json goes last: while it is there, the directory is known as a run
  // and an interrupted clear() can be repeated.
  for (const fs::path& file : record_files())
    remove_file(file);
  Checkpoints(*this).remove_all();
  for (const std::string_view folder : kFolders) {
    remove_if_empty(path_ / folder);
  }
  for (const fs::path& entry : entries_of(path_)) {
    if (is_own_file(entry) && entry != run_file()) remove_file(entry);
  }
  remove_file(run_file());
}

std::optional<nlohmann::json> RunDirectory::read_run() const {
  std::error_code error;
  if (!fs::exists(run_file(), error) && !error) return std::nullopt;
  auto run = parse_json(read_file(run_file()));
  if (!run || !run->is_object()) {
    throw IoError(
        fmt::format("{} is not a valid JSON object", run_file().string()));
  }
  const auto version = find_integer(*run, "format_version");
  if (version != kFormatVersion) {
    throw IoError(fmt::format(
        "{} has format version {}; this program reads version {}",
        run_file().string(),
        version ? std::to_string(*version) : "none",
        kFormatVersion));
  }
  return run;
}

void RunDirectory::write_run(const nlohmann::json& run) const {
  nlohmann::json versioned = run;
  versioned["format_version"] = kFormatVersion;
  write_atomically(run_file(), dump_json(versioned, 2) + "\n");
  remove_temporaries(run_file());
}

std::string RunDirectory::read_spec() const {
  return read_file(spec_file());
}

void RunDirectory::write_spec(const std::string& toml) const {
  write_atomically(spec_file(), toml);
  remove_temporaries(spec_file());
}

} // namespace grapevine::record
