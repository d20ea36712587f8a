#include "run/run_directory_setup.h"

#include "base/error.h"
#include "base/sha256.h"
#include "record/atomic_file.h"
#include "record/safetensors.h"
#include "run/build_info.h"
#include "run/replicas.h"
#include "run/virtual_clock.h"
#include "spec/spec_table.h"
#include "tensor/kernels/elementwise.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace grapevine::run {
namespace {

// Refuses to mix two specs in one directory.
void check_same_spec(
    const record::RunDirectory& directory,
    const spec::Spec& spec) {
  const spec::ParsedSpec stored = spec::parse_spec(
      directory.read_spec(),
      directory.spec_file().string(),
      {});
  const auto difference = spec::first_difference(stored.spec, spec);
  if (!difference) return;
  throw ConfigError(fmt::format(
      "{} holds a run with {} = {}, not {}; give another --out, or --fresh to "
      "begin it again",
      directory.path().string(),
      difference->key,
      difference->first,
      difference->second));
}

// A spec knows inputs by their names; what they hold may have changed.
void check_same_inputs(
    const record::RunDirectory& directory,
    const mix::Fingerprint& parts) {
  const auto run = directory.read_run();
  if (!run || !run->contains("fingerprint")) return;
  const nlohmann::json& stored = run->at("fingerprint");
  for (const char* name :
       {"graph", "data", "samples", "split", "init", "model", "costs"}) {
    const auto mine = parts.find(name);
    if (mine == parts.end() || !stored.contains(name)) continue;
    if (stored.at(name) == mine->second) continue;
    throw ConfigError(fmt::format(
        "{} holds a run whose {} held something else than now ({}, not {}); "
        "give another --out, or --fresh to begin it again",
        directory.path().string(),
        name,
        stored.at(name).dump(),
        mine->second));
  }
}

std::string script_of(const spec::Spec& spec) {
  return is_model_file(spec.model) ? spec.model : "";
}

// What is wrong with the file is said by whoever reads it for its contents.
std::string file_digest(const std::string& path) {
  try {
    return sha256_hex(record::read_file(path));
  } catch (const IoError&) {
    return "";
  }
}

// Of some samples of the set, from its beginning to its end.
std::string sample_digest(const data::Source& source) {
  constexpr int64_t kSamples = 8;
  const int64_t count = std::min(kSamples, source.size());
  std::vector<int64_t> indices;
  for (int64_t i = 0; i < count; ++i)
    indices.push_back(i * source.size() / count);
  data::Batch batch;
  source.gather(indices, batch);
  Sha256 hash;
  hash.update(std::as_bytes(std::span(batch.inputs)));
  hash.update(std::as_bytes(std::span(batch.tokens)));
  hash.update(std::as_bytes(std::span(batch.labels)));
  return hash.hex();
}

// An unusable --init is bad input, answered before the run begins.
void check_initial_values(const RunConfig& config) {
  if (config.spec.init.empty()) return;
  std::vector<Worker> trial;
  trial.emplace_back(config.spare_options());
  try {
    load_initial_values(config, trial);
  } catch (const IoError& error) {
    throw ConfigError(fmt::format(
        "--init: no values for model {}: {}",
        config.spec.model,
        error.what()));
  }
}

// The costs must be those of this model.
void check_virtual_clock(const RunConfig& config) {
  if (!spec::has_virtual_clock(config.spec)) return;
  const Worker worker(config.spare_options());
  if (config.is_asynchronous()) {
    make_gossip_times(config.spec, worker.arena().layout());
  } else {
    make_virtual_clock(config.spec, worker.arena().layout());
  }
}

} // namespace

void check_inputs(const RunConfig& config) {
  check_initial_values(config);
  check_virtual_clock(config);
}

mix::Fingerprint fingerprint(const RunConfig& config) {
  mix::Fingerprint parts;
  for (const auto& [key, value] : spec::spec_fingerprint(config.spec)) {
    parts["spec." + key] = value;
  }
  parts["data"] = fmt::format(
      "{} training and {} test samples",
      config.dataset.train->size(),
      config.dataset.test->size());
  // Its chance goes through the mathematical library, which may differ.
  if (config.split) parts["split"] = config.split->digest();
  parts["samples"] = sample_digest(*config.dataset.test);
  for (const auto& [name, file] :
       {std::pair("init", config.spec.init),
        std::pair("model", script_of(config.spec)),
        std::pair("costs", config.spec.costs)}) {
    if (!file.empty()) parts[name] = file_digest(file);
  }
  parts["graph"] =
      fmt::format("{:016x}", config.schedule->at({0, 0})->digest());
  parts["build"] = build_version();
  parts["torch"] = torch_version();
  parts["instructions"] = tensor::instruction_set();
  return parts;
}

std::optional<TrainResult> stored_result(
    const record::RunDirectory& directory,
    const spec::Spec& spec) {
  if (!directory.exists()) return std::nullopt;
  if (std::filesystem::exists(directory.spec_file())) {
    check_same_spec(directory, spec);
  }
  const auto run = directory.read_run();
  if (!run || !run->contains("result")) return std::nullopt;
  TrainResult result;
  try {
    result = result_from_json(run->at("result"));
  } catch (const nlohmann::json::exception& error) {
    throw IoError(fmt::format(
        "{}: the result in it cannot be read ({})",
        directory.run_file().string(),
        error.what()));
  }
  if (result.outcome != Outcome::kCompleted &&
      result.outcome != Outcome::kDiverged) {
    return std::nullopt;
  }
  result.run = directory.path().string();
  result.was_stored = true;
  return result;
}

std::optional<TrainResult> open_directory(
    mix::Cluster& cluster,
    const record::RunDirectory& directory,
    const spec::Spec& spec,
    const mix::Fingerprint& parts,
    std::optional<record::RunLock>& lock) {
  std::string found;
  std::exception_ptr refusal;
  bool is_config = false;
  if (cluster.is_root()) {
    try {
      lock.emplace(directory.path());
      directory.require_run();
      if (spec.fresh) {
        directory.clear();
      } else {
        const auto stored = stored_result(directory, spec);
        check_same_inputs(directory, parts);
        if (stored) found = to_json(*stored).dump();
      }
    } catch (const ConfigError&) {
      refusal = std::current_exception();
      is_config = true;
    } catch (...) {
      refusal = std::current_exception();
    }
  }
  if (cluster.any(refusal != nullptr)) {
    // The same kind everywhere: the launcher's exit code is that of whoever
    // happens to end first.
    is_config = cluster.any(is_config);
    if (refusal) std::rethrow_exception(refusal);
    constexpr const char* kSeeFirst =
        "worker 0 refused the run; see its message";
    if (is_config) throw ConfigError(kSeeFirst);
    throw Error(kSeeFirst);
  }
  found = cluster.broadcast(found);
  if (found.empty()) return std::nullopt;
  TrainResult result = result_from_json(nlohmann::json::parse(found));
  result.was_stored = true;
  result.is_complete = cluster.is_root();
  return result;
}

int attempts_before(const record::RunDirectory& directory) {
  const auto run = directory.read_run();
  if (!run) return 0;
  const auto attempts = run->find("attempts");
  return attempts != run->end() && attempts->is_number_integer()
             ? attempts->get<int>()
             : 0;
}

int begin_attempt(
    mix::Cluster& cluster,
    const record::RunDirectory& directory,
    const spec::Spec& spec) {
  int attempt = 0;
  if (cluster.is_root()) {
    directory.create();
    record::Checkpoints(directory).remove_unfinished();
    attempt = attempts_before(directory);
    spec::Spec stored = spec;
    stored.fresh = false; // an order for this time, not part of the run
    directory.write_spec(spec::to_toml(stored));
  }
  attempt = std::stoi(cluster.broadcast(std::to_string(attempt)));
  cluster.barrier();
  return attempt;
}

nlohmann::json run_description(
    const RunConfig& config,
    const mix::Fingerprint& fingerprint,
    int attempt) {
  nlohmann::json description = {
      {"outcome", "running"},
      {"attempts", attempt + 1},
      {"spec_hash", spec::spec_hash(config.spec)},
      {"machine", machine_info()},
      {"build",
       {{"version", build_version()},
        {"git", git_state()},
        {"torch", torch_version()}}},
      {"fingerprint", fingerprint}};
  if (!config.dataset.notes.empty()) {
    description["data_notes"] = config.dataset.notes;
  }
  return description;
}

void write_result(
    const record::RunDirectory& directory,
    nlohmann::json description,
    const TrainResult& result) {
  description["outcome"] = to_string(result.outcome);
  description["result"] = to_json(result);
  directory.write_run(description);
}

TrainResult report_result(TrainResult result, const TrainHooks& hooks) {
  if (result.is_complete && hooks.on_result) hooks.on_result(result);
  return result;
}

void write_failure(
    const record::RunDirectory& directory,
    nlohmann::json description,
    const std::exception& error) {
  description["outcome"] = "failed";
  description["error"] = error.what();
  try {
    directory.write_run(description);
  } catch (const IoError&) {
    // The first error says more than "and run.json could not be written".
  }
}

} // namespace grapevine::run
