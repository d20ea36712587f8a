#include "record/checkpoint.h"

#include "base/check.h"
#include "base/error.h"
#include "record/atomic_file.h"
#include "record/json_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

namespace grapevine::record {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string folder_name(int64_t step) {
  return fmt::format("step-{:08d}", step);
}

std::string file_name(int worker) {
  return fmt::format("worker-{:04d}.safetensors", worker);
}

fs::path manifest_of(const fs::path& directory) {
  return directory / "manifest.json";
}

std::optional<int64_t> step_of(const fs::path& directory) {
  constexpr std::string_view kPrefix = "step-";
  const std::string name = directory.filename().string();
  if (!name.starts_with(kPrefix)) return std::nullopt;
  int64_t step = -1;
  std::from_chars(
      name.data() + kPrefix.size(),
      name.data() + name.size(),
      step);
  if (step < 0 || folder_name(step) != name) return std::nullopt;
  return step;
}

bool is_checkpoint_file(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with("manifest.json") ||
         (name.starts_with("worker-") &&
          name.find(".safetensors") != std::string::npos);
}

std::vector<fs::path> entries_of(const fs::path& directory) {
  std::vector<fs::path> entries;
  std::error_code error;
  fs::directory_iterator entry(directory, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    entries.push_back(entry->path());
  }
  return entries;
}

// The manifest first: a folder that is removed half-way is no checkpoint.
// The first error, or none.
std::error_code remove_checkpoint(const fs::path& directory) {
  std::error_code first;
  const auto remove = [&first](const fs::path& path) {
    std::error_code error;
    fs::remove(path, error);
    if (error && !first) first = error;
  };
  remove(manifest_of(directory));
  for (const fs::path& entry : entries_of(directory)) {
    if (is_checkpoint_file(entry)) remove(entry);
  }
  std::error_code foreign_files_stay;
  fs::remove(directory, foreign_files_stay);
  return first;
}

void withdraw(const fs::path& directory) {
  std::error_code error;
  fs::remove(manifest_of(directory), error);
  if (error) throw_io_error("remove", manifest_of(directory), error.value());
}

std::optional<std::vector<int64_t>> parse_files(
    const json& manifest,
    int64_t workers) {
  const auto files = manifest.find("files");
  if (files == manifest.end() || !files->is_array() ||
      static_cast<int64_t>(files->size()) != workers) {
    return std::nullopt;
  }
  std::vector<int64_t> sizes;
  for (int worker = 0; worker < static_cast<int>(workers); ++worker) {
    const json& file = (*files)[static_cast<size_t>(worker)];
    const auto bytes = find_integer(file, "bytes");
    const auto name = file.is_object() ? file.find("name") : file.end();
    if (!bytes || name == file.end() || *name != file_name(worker)) {
      return std::nullopt;
    }
    sizes.push_back(*bytes);
  }
  return sizes;
}

std::optional<CheckpointInfo> parse_manifest(
    const fs::path& directory,
    const std::string& text) {
  const auto manifest = parse_json(text);
  if (!manifest ||
      find_integer(*manifest, "format_version") != kFormatVersion) {
    return std::nullopt;
  }
  const auto step = find_integer(*manifest, "step");
  const auto workers = find_integer(*manifest, "workers");
  if (!step || step != step_of(directory) || !workers || *workers < 1 ||
      *workers > std::numeric_limits<int>::max() ||
      !manifest->contains("state")) {
    return std::nullopt;
  }
  auto sizes = parse_files(*manifest, *workers);
  if (!sizes) return std::nullopt;
  return CheckpointInfo{
      .step = *step,
      .workers = static_cast<int>(*workers),
      .directory = directory,
      .file_bytes = std::move(*sizes),
      .state = manifest->at("state")};
}

std::optional<CheckpointInfo> read_manifest(const fs::path& directory) {
  std::error_code error;
  if (!fs::is_regular_file(manifest_of(directory), error)) return std::nullopt;
  try {
    return parse_manifest(directory, read_file(manifest_of(directory)));
  } catch (const IoError&) {
    return std::nullopt; // unreadable is as good as absent
  }
}

int64_t size_of(const fs::path& file) {
  std::error_code error;
  const uintmax_t bytes = fs::file_size(file, error);
  if (error) throw_io_error("read", file, error.value());
  return static_cast<int64_t>(bytes);
}

void require_metadata(
    const fs::path& file,
    const Metadata& metadata,
    const std::string& key,
    int64_t expected) {
  const auto found = metadata.find(key);
  if (found != metadata.end() && found->second == std::to_string(expected)) {
    return;
  }
  throw IoError(fmt::format(
      "{} is not the checkpoint file that belongs there: {} is {}, should be "
      "{}",
      file.string(),
      key,
      found == metadata.end() ? "missing" : found->second,
      expected));
}

} // namespace

Checkpoints::Checkpoints(RunDirectory run) : run_(std::move(run)) {}

fs::path Checkpoints::directory(int64_t step) const {
  return run_.checkpoints() / folder_name(step);
}

std::vector<fs::path> Checkpoints::step_folders() const {
  std::vector<fs::path> folders = entries_of(run_.checkpoints());
  std::erase_if(folders, [](const fs::path& path) {
    std::error_code error;
    return !step_of(path) || !fs::is_directory(path, error);
  });
  std::ranges::sort(folders, std::ranges::greater(), [](const fs::path& path) {
    return *step_of(path);
  });
  return folders;
}

void Checkpoints::write_worker(
    int64_t step,
    int worker,
    std::span<const TensorView> planes) const {
  GV_CHECK_GE(step, 0);
  GV_CHECK_GE(worker, 0);
  const fs::path folder = directory(step);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw_io_error("create", folder, error.value());
  withdraw(folder);
  write_safetensors(
      folder / file_name(worker),
      planes,
      {{"format_version", std::to_string(kFormatVersion)},
       {"step", std::to_string(step)},
       {"worker", std::to_string(worker)}});
}

void Checkpoints::commit(int64_t step, int workers, const json& state) const {
  GV_CHECK_GE(workers, 1);
  const fs::path folder = directory(step);
  json files = json::array();
  for (int worker = 0; worker < workers; ++worker) {
    const std::string name = file_name(worker);
    files.push_back({{"name", name}, {"bytes", size_of(folder / name)}});
  }
  const json manifest = {
      {"format_version", kFormatVersion},
      {"step", step},
      {"workers", workers},
      {"files", std::move(files)},
      {"state", state}};
  write_atomically(manifest_of(folder), dump_json(manifest, 2) + "\n");
  sync_directory(run_.checkpoints());
  prune(step);
}

void Checkpoints::prune(int64_t committed) const {
  int kept = 0;
  for (const fs::path& folder : step_folders()) {
    std::error_code ignored;
    const int64_t step = *step_of(folder);
    if (step > committed) {
      fs::remove(manifest_of(folder), ignored);
    } else if (kept < kKept && read_manifest(folder)) {
      ++kept;
    } else {
      remove_checkpoint(folder);
    }
  }
  for (const fs::path& entry : entries_of(directory(committed))) {
    std::error_code ignored;
    if (is_temporary(entry)) fs::remove(entry, ignored);
  }
}

void Checkpoints::remove_unfinished() const {
  for (const fs::path& folder : step_folders()) {
    std::error_code error;
    if (!fs::exists(manifest_of(folder), error) && !error) {
      remove_checkpoint(folder);
    }
  }
}

std::vector<CheckpointInfo> Checkpoints::list() const {
  std::vector<CheckpointInfo> found;
  for (const fs::path& folder : step_folders()) {
    if (auto info = read_manifest(folder)) found.push_back(std::move(*info));
  }
  return found;
}

Safetensors Checkpoints::read_worker(
    const CheckpointInfo& checkpoint,
    int worker) const {
  GV_CHECK_GE(worker, 0);
  GV_CHECK_LT(worker, checkpoint.workers);
  const fs::path file = checkpoint.directory / file_name(worker);
  const int64_t bytes = size_of(file);
  const int64_t expected = checkpoint.file_bytes[static_cast<size_t>(worker)];
  if (bytes != expected) {
    throw IoError(fmt::format(
        "{} has {} bytes, but the checkpoint's manifest says {}",
        file.string(),
        bytes,
        expected));
  }
  Safetensors loaded = read_safetensors(file);
  require_metadata(file, loaded.metadata, "format_version", kFormatVersion);
  require_metadata(file, loaded.metadata, "step", checkpoint.step);
  require_metadata(file, loaded.metadata, "worker", worker);
  if (!loaded.metadata.contains(kChecksumKey)) {
    throw IoError(fmt::format("{} has no checksum", file.string()));
  }
  return loaded;
}

fs::path Checkpoints::own_directory() const {
  return run_.checkpoints() / "own";
}

void Checkpoints::write_own(
    int worker,
    std::span<const TensorView> planes,
    const Metadata& metadata) const {
  std::error_code error;
  fs::create_directories(own_directory(), error);
  if (error) throw_io_error("create", own_directory(), error.value());
  write_safetensors(own_directory() / file_name(worker), planes, metadata);
}

bool Checkpoints::has_own(int worker) const {
  std::error_code error;
  return fs::exists(own_directory() / file_name(worker), error);
}

std::optional<Safetensors> Checkpoints::read_own(int worker) const {
  if (!has_own(worker)) return std::nullopt;
  return read_safetensors(own_directory() / file_name(worker));
}

void Checkpoints::remove_own() const {
  remove_checkpoint(own_directory());
}

void Checkpoints::remove_all() const {
  const std::error_code own = remove_checkpoint(own_directory());
  if (own) throw_io_error("remove", own_directory(), own.value());
  for (const fs::path& folder : step_folders()) {
    const std::error_code error = remove_checkpoint(folder);
    if (error) throw_io_error("remove", folder, error.value());
  }
}

} // namespace grapevine::record
