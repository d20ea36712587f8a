#include "cli/bench_plan.h"

#include "base/error.h"
#include "base/sha256.h"
#include "cli/prepare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace grapevine::cli {
namespace {

constexpr size_t kHashDigits = 12;

std::string bench_directory(const spec::Matrix& matrix) {
  if (!matrix.runs.front().spec.out.empty()) {
    return matrix.runs.front().spec.out;
  }
  std::string hashes;
  for (const spec::ParsedSpec& run : matrix.runs) {
    hashes += spec::spec_hash(run.spec) + "\n";
  }
  return "runs/bench-" + sha256_hex(hashes).substr(0, kHashDigits);
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
    const std::vector<std::string>& varied) {
  std::string text;
  for (const std::string& key : varied) {
    const std::string value = plain(*spec::find_entry(key), spec);
    const bool speaks_for_itself = key == "preset" || key == "graph";
    if (!text.empty()) text += " ";
    text += speaks_for_itself ? value : fmt::format("{} {}", key, value);
  }
  return text.empty() ? spec.graph : text;
}

} // namespace

BenchPlan plan_bench(spec::Matrix matrix) {
  const auto& varied = matrix.varied;
  if (std::find(varied.begin(), varied.end(), "out") != varied.end()) {
    throw ConfigError("out: one directory holds all runs of a benchmark");
  }
  BenchPlan plan;
  plan.directory = bench_directory(matrix);
  plan.varied = varied;
  for (spec::ParsedSpec& run : matrix.runs) {
    prepare(run, {});
    const std::string name = directory_name(run.spec, varied);
    run.spec.out = (std::filesystem::path(plan.directory) / name).string();
    plan.runs.push_back({run.spec, label(run.spec, varied)});
  }
  return plan;
}

} // namespace grapevine::cli
