#include "cli/bench_plan.h"

#include "base/error.h"
#include "cli/prepare.h"
#include "spec/kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

namespace grapevine::cli {
namespace {

// Not a hash of all runs: a matrix that grows by a value goes on in the same
// place. Runs of different files tell themselves apart by their own hashes.
std::string bench_directory(
    const spec::Matrix& matrix,
    const std::string& file_name) {
  const std::string& out = matrix.runs.front().spec.out;
  if (!out.empty()) return out;
  return "runs/" + bench_title(file_name);
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

} // namespace

std::string bench_title(const std::string& file_name) {
  return std::filesystem::path(file_name).stem().string();
}

BenchPlan plan_bench(spec::Matrix matrix, const std::string& file_name) {
  const auto& varied = matrix.varied;
  if (std::find(varied.begin(), varied.end(), "out") != varied.end()) {
    throw ConfigError("out: one directory holds all runs of a benchmark");
  }
  BenchPlan plan;
  plan.title = bench_title(file_name);
  plan.directory = bench_directory(matrix, file_name);
  plan.varied = varied;
  std::set<std::string> taken;
  for (spec::ParsedSpec& run : matrix.runs) {
    prepare(run, {});
    const std::string name = directory_name(run.spec, varied);
    if (!taken.insert(name).second) continue; // the same run, spelt otherwise
    run.spec.out = (std::filesystem::path(plan.directory) / name).string();
    plan.runs.push_back({run.spec, "", sweep::stored_state(run.spec)});
  }
  std::vector<const spec::Spec*> specs;
  for (const BenchRun& run : plan.runs)
    specs.push_back(&run.spec);
  const spec::Kinds kinds(specs, varied);
  for (BenchRun& run : plan.runs)
    run.label = label(run.spec, varied, kinds);
  return plan;
}

std::vector<size_t> runs_to_do(const BenchPlan& plan) {
  std::vector<size_t> runs;
  for (size_t i = 0; i < plan.runs.size(); ++i) {
    if (plan.runs[i].stored.state != sweep::State::kDone) runs.push_back(i);
  }
  return runs;
}

} // namespace grapevine::cli
