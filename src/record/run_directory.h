// A run is a directory:
//
//   spec.toml        the complete spec, every default written out
//   run.json         machine, build, fingerprint, outcome, result
//   records/         one append-only stream of JSON lines a process (its
//                    hosted workers share it): records/process-0.jsonl
//   checkpoints/     record/checkpoint.h
//   report.html      the report's page
//
// Formats are specified in docs/formats.md and carry a version.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace grapevine::record {

inline constexpr int kFormatVersion = 1;

// Any thread, any process; but run.json and spec.toml have one writer.
class RunDirectory {
 public:
  // Does not touch the disk.
  explicit RunDirectory(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path spec_file() const;
  std::filesystem::path run_file() const;
  std::filesystem::path records(int process) const;
  std::filesystem::path checkpoints() const;
  std::filesystem::path best_model() const; // of the best evaluation, if kept
  // The record files that are there, by ascending process number.
  std::vector<std::filesystem::path> record_files() const;

  // True where a run has begun: spec.toml or run.json is there.
  bool exists() const;
  // Makes the directory and its folders; several processes may do so at once.
  // IoError with the reason if it cannot; ConfigError if the path holds
  // something that is not a run: a file, or a directory without run.json that
  // holds other names than those above.
  void create() const;
  // Removes a run's own files, for --fresh, and leaves what is not one of
  // them. Nothing there is fine. Refuses (ConfigError) to touch a directory
  // that does not look like a run; IoError if a file cannot be removed.
  void clear() const;

  // run.json; nullopt where there is none. IoError if it is not valid or has
  // another format version.
  std::optional<nlohmann::json> read_run() const;
  // Atomically. Adds "format_version"; what is not finite becomes null.
  void write_run(const nlohmann::json& run) const;
  std::string read_spec() const;
  void write_spec(const std::string& toml) const;

  // ConfigError if the path is taken by something that is not a run.
  void require_run() const;

 private:
  std::filesystem::path path_;
};

} // namespace grapevine::record
