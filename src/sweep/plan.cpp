#include "sweep/plan.h"

#include "base/error.h"
#include "record/checkpoint.h"
#include "record/run_directory.h"
#include "spec/kinds.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

namespace grapevine::sweep {
namespace {

// "fashion-mnist-96" of "experiments/fashion-mnist-96.toml".
std::string title_of(const std::string& file_name) {
  return std::filesystem::path(file_name).stem().string();
}

// Not a hash of all runs: a matrix that grows by a value continues in the same
// place. Runs of different files tell themselves apart by their own hashes.
std::string directory_of(
    const spec::Matrix& matrix,
    const std::string& file_name) {
  const std::string& out = matrix.runs.front().spec.out;
  if (!out.empty()) return out;
  return "runs/" + title_of(file_name);
}

std::string plain(const spec::SpecEntry& entry, const spec::Spec& spec) {
  std::string value = entry.get_toml(spec);
  std::erase(value, '"');
  return value;
}

// The name of a run holds what decides its result; where the matrix varies
// something else (threads, say), that must tell the directories apart.
std::string directory_name(
    const spec::Spec& spec,
    const std::vector<std::string>& varied) {
  std::string name = spec::run_name(spec);
  for (const std::string& key : varied) {
    const spec::SpecEntry& entry = *spec::find_entry(key);
    if (entry.decides_result || key == "preset") continue;
    std::string value = plain(entry, spec);
    std::replace_if(
        value.begin(),
        value.end(),
        [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); },
        '_');
    name += fmt::format("-{}-{}", key, value);
  }
  return name;
}

std::string label(
    const spec::Spec& spec,
    const std::vector<std::string>& varied,
    const spec::Kinds& kinds) {
  std::string text;
  for (const std::string& key : varied) {
    const bool speaks_for_itself = key == "preset" || key == "graph";
    if (!speaks_for_itself && !kinds.varies(spec, key)) continue;
    const std::string value = plain(*spec::find_entry(key), spec);
    if (!text.empty()) text += " ";
    text += speaks_for_itself ? value : fmt::format("{} {}", key, value);
  }
  return text.empty() ? spec.graph : text;
}

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

Plan make_plan(
    spec::Matrix matrix,
    const std::string& file_name,
    const std::function<void(spec::ParsedSpec&)>& check) {
  const auto& varied = matrix.varied;
  if (std::find(varied.begin(), varied.end(), "out") != varied.end()) {
    throw ConfigError("out: one directory holds all runs of a benchmark");
  }
  Plan plan;
  plan.title = title_of(file_name);
  plan.directory = directory_of(matrix, file_name);
  plan.varied = varied;
  std::set<std::string> taken;
  for (spec::ParsedSpec& run : matrix.runs) {
    check(run);
    const std::string name = directory_name(run.spec, varied);
    if (!taken.insert(name).second) continue; // the same run in other words
    run.spec.out = (std::filesystem::path(plan.directory) / name).string();
    plan.runs.push_back({run.spec, "", stored_state(run.spec)});
  }
  std::vector<const spec::Spec*> specs;
  for (const PlannedRun& run : plan.runs)
    specs.push_back(&run.spec);
  const spec::Kinds kinds(specs, varied);
  for (PlannedRun& run : plan.runs)
    run.label = label(run.spec, varied, kinds);
  return plan;
}

std::vector<size_t> runs_to_do(const Plan& plan) {
  std::vector<size_t> runs;
  for (size_t i = 0; i < plan.runs.size(); ++i) {
    if (!plan.runs[i].is_done()) runs.push_back(i);
  }
  return runs;
}

} // namespace grapevine::sweep
