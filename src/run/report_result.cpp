#include "run/report_result.h"

#include "run/run_directory_setup.h"

#include <utility>

namespace grapevine::run {

TrainResult report_result(TrainResult result, const TrainHooks& hooks) {
  if (result.is_complete && hooks.on_result) hooks.on_result(result);
  return result;
}

std::optional<TrainResult> result_without_it(
    member::Edges& edges,
    const record::RunDirectory& directory,
    const spec::Spec& spec,
    const TrainHooks& hooks) {
  if (auto stored = stored_result(directory, spec)) {
    stored->was_stored = false; // but by this very run
    stored->is_complete = edges.conclude().value_or(false);
    return report_result(std::move(*stored), hooks);
  }
  // No other end leaves nothing behind.
  if (!edges.is_concluded()) return std::nullopt;
  TrainResult interrupted;
  interrupted.run = directory.path().string();
  interrupted.outcome = Outcome::kInterrupted;
  return interrupted;
}

} // namespace grapevine::run
