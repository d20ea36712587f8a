#include "run/restore_newest.h"

#include "base/error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace grapevine::run {

std::string try_restore(
    const record::CheckpointInfo& checkpoint,
    int workers,
    const std::function<void(const record::CheckpointInfo&)>& restore) {
  const std::string name = checkpoint.directory.string();
  if (checkpoint.workers != workers) {
    return fmt::format("{} holds {} workers", name, checkpoint.workers);
  }
  try {
    restore(checkpoint);
  } catch (const IoError& error) {
    return error.what();
  } catch (const nlohmann::json::exception& error) {
    return fmt::format("{}: state of the manifest: {}", name, error.what());
  }
  return "";
}

std::optional<record::CheckpointInfo> restore_newest(
    const record::Checkpoints& checkpoints,
    const Restore& restore) {
  std::string first_problem;
  for (const record::CheckpointInfo& candidate : checkpoints.list()) {
    const std::string problem = restore(candidate);
    if (problem.empty()) return candidate;
    if (first_problem.empty()) first_problem = problem;
  }
  if (first_problem.empty()) return std::nullopt;
  throw IoError(fmt::format(
      "no checkpoint can be read, of the newest: {} (`train --fresh` begins "
      "the "
      "run again)",
      first_problem));
}

} // namespace grapevine::run
