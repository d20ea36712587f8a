// Checkpoints: one safetensors file a worker, and a manifest that makes them
// count.
//
//   checkpoints/step-00000152/worker-0007.safetensors
//   checkpoints/step-00000152/manifest.json
//
// Every worker writes its file atomically; after a barrier one process calls
// commit(), which writes the manifest atomically; a checkpoint without a
// manifest does not exist. Files are by worker, not by process, so a run can
// be resumed over another transport than the one it began on.
//
// A worker of an asynchronous run, which no step joins with the others, has a
// file of its own instead, replaced as it goes:
//
//   checkpoints/own/worker-0007.safetensors
//
// Whatever a killed run leaves (temporary files, folders without a manifest)
// does no harm and is swept away by later commits.
#pragma once

#include "record/run_directory.h"
#include "record/safetensors.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace grapevine::record {

struct CheckpointInfo {
  int64_t step = 0; // steps done
  int workers = 0;
  std::filesystem::path directory;
  std::vector<int64_t> file_bytes; // of each worker's file
  nlohmann::json state; // what the trainer wants back: epoch sums, attempt, …
};

class Checkpoints {
 public:
  static constexpr int kKept = 2;

  explicit Checkpoints(RunDirectory run);

  // Any thread, any process; creates the step's folder. If the step has a
  // manifest already, that is withdrawn: the step counts again once it is
  // committed again. IoError.
  void write_worker(
      int64_t step,
      int worker,
      std::span<const TensorView> planes) const;

  // Writes the manifest, then prunes: removes all but this and the checkpoint
  // before it, any older folder without a manifest, and temporary files in
  // this one. Manifests of later steps belong to an attempt that was given up
  // and are withdrawn; their folders stay, since other workers may be writing
  // there. IoError if a worker's file is missing or the manifest cannot be
  // written; what cannot be pruned stays for the next commit.
  //
  // One process, after a barrier behind all write_worker() calls of `step`.
  // Records of the steps before `step` should have been flushed by then: a
  // resumed run does not write them again.
  void commit(int64_t step, int workers, const nlohmann::json& state) const;

  // Removes what an attempt that has ended left unfinished: folders without a
  // manifest. What cannot be removed stays. For the one process that holds the
  // run, while nobody writes.
  void remove_unfinished() const;

  // Newest first, those with a valid manifest. Looks at manifests only;
  // whether the workers' files are sound shows when they are read.
  std::vector<CheckpointInfo> list() const;

  // IoError if the file is missing, has another size than in the manifest, is
  // corrupt, or names another step, worker or format version.
  Safetensors read_worker(const CheckpointInfo& checkpoint, int worker) const;

  // A worker's own: any process, at any time. IoError.
  void write_own(
      int worker,
      std::span<const TensorView> planes,
      const Metadata& metadata) const;
  bool has_own(int worker) const;
  // Nothing where there is none; IoError where it cannot be read.
  std::optional<Safetensors> read_own(int worker) const;
  // Those of all workers; what cannot be removed stays.
  void remove_own() const;

  // Removes every checkpoint and every remain of one, and nothing else.
  // IoError.
  void remove_all() const;

 private:
  std::filesystem::path directory(int64_t step) const;
  std::filesystem::path own_directory() const;
  std::vector<std::filesystem::path> step_folders() const;
  void prune(int64_t committed) const;

  RunDirectory run_;
};

} // namespace grapevine::record
