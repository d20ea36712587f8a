#include "sweep/stored_state.h"

#include "base/error.h"
#include "record/checkpoint.h"
#include "record/run_directory.h"
#include "spec/spec_table.h"

#include <nlohmann/json.hpp>

namespace grapevine::sweep {
namespace {

bool is_same_spec(
    const record::RunDirectory& directory,
    const spec::Spec& spec) {
  const spec::ParsedSpec stored = spec::parse_spec(
      directory.read_spec(),
      directory.spec_file().string(),
      {});
  return !spec::first_difference(stored.spec, spec);
}

bool has_result(const nlohmann::json& run) {
  const auto result = run.find("result");
  if (result == run.end() || !result->is_object()) return false;
  const auto outcome = result->find("outcome");
  return outcome != result->end() &&
         (*outcome == "completed" || *outcome == "diverged");
}

} // namespace

std::string to_string(State state) {
  switch (state) {
    case State::kToResume:
      return "to resume";
    case State::kDone:
      return "done before";
    default:
      return "to do";
  }
}

StoredState stored_state(const spec::Spec& spec) {
  const record::RunDirectory directory(spec.out);
  if (spec.fresh || !directory.exists()) return {};
  try {
    const auto run = directory.read_run();
    if (!run || !is_same_spec(directory, spec)) return {};
    if (has_result(*run)) return {State::kDone, 0};
    const auto checkpoints = record::Checkpoints(directory).list();
    if (checkpoints.empty()) return {};
    return {State::kToResume, checkpoints.front().step};
  } catch (const Error&) {
    return {};
  } catch (const nlohmann::json::exception&) {
    return {};
  }
}

} // namespace grapevine::sweep
