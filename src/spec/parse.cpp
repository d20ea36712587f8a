#include "algo/agreement.h"
#include "algo/rules.h"
#include "base/error.h"
#include "base/names.h"
#include "spec/assemble.h"
#include "spec/spec_table.h"
#include "spec/toml_file.h"

#include <fmt/format.h>

#include <array>
#include <map>

namespace grapevine::spec {
namespace {

// In which layer each key was last assigned.
using Heights = std::map<std::string, size_t>;

// "--lr: reason", or "run.toml:3: lr: reason".
std::string blame(const Assignment& assignment, const std::string& reason) {
  if (assignment.origin == flag_of(assignment.key)) {
    return fmt::format("{}: {}", assignment.origin, reason);
  }
  return fmt::format("{}: {}: {}", assignment.origin, assignment.key, reason);
}

void assign(ParsedSpec& parsed, const Assignment& assignment) {
  try {
    find_entry(assignment.key)->set(parsed.spec, assignment.text);
  } catch (const ConfigError& error) {
    throw ConfigError(blame(assignment, error.what()));
  }
  parsed.origins[assignment.key] = assignment.origin;
}

const Preset* find_preset(const std::string& name) {
  for (const Preset& preset : preset_table()) {
    if (preset.name == name) return &preset;
  }
  return nullptr;
}

void apply_preset(ParsedSpec& parsed, const Heights& heights) {
  const Preset* preset = find_preset(parsed.spec.preset);
  if (!preset) return;
  const std::array<std::pair<const char*, const std::string*>, 5> parts{
      {{"agreement", &preset->agreement},
       {"optimizer", &preset->optimizer},
       {"graph", &preset->graph},
       {"ada", &preset->ada},
       {"continuous-momentum", &preset->continuous_momentum}}};
  for (const auto& [key, value] : parts) {
    const auto given = heights.find(key);
    const bool stays =
        given != heights.end() && given->second >= heights.at("preset");
    if (stays || value->empty()) continue;
    assign(parsed, {key, *value, parsed.origins.at("preset")});
  }
}

} // namespace

Assignments read_flags(
    const std::vector<std::pair<std::string, std::string>>& flags) {
  Assignments layer;
  for (const auto& [key, value] : flags) {
    if (!find_entry(key)) {
      std::vector<std::string> known;
      for (const SpecEntry& entry : spec_table())
        known.push_back(entry.key);
      const auto near = nearest_spelling(key, known);
      throw ConfigError(fmt::format(
          "unknown option '--{}'{}",
          key,
          near ? fmt::format("; did you mean '{}'?", flag_of(*near)) : ""));
    }
    layer.push_back({key, value, flag_of(key)});
  }
  return layer;
}

ParsedSpec assemble(std::span<const Assignments> layers) {
  ParsedSpec parsed;
  Heights heights;
  for (size_t height = 0; height < layers.size(); ++height) {
    for (const Assignment& assignment : layers[height]) {
      assign(parsed, assignment);
      heights[assignment.key] = height;
    }
  }
  apply_preset(parsed, heights);
  if (algo::find_agreement(parsed.spec.agreement).is_centralized() &&
      !parsed.origins.count("graph")) {
    parsed.spec.graph = "complete";
  }
  if (!parsed.origins.count("lr")) {
    parsed.spec.lr = algo::find_optimizer(parsed.spec.optimizer).lr;
  }
  return parsed;
}

ParsedSpec parse_spec(
    std::string_view toml,
    const std::string& file_name,
    const std::vector<std::pair<std::string, std::string>>& flags) {
  TomlFile file = read_toml(toml, file_name);
  if (!file.matrix_origin.empty()) {
    throw ConfigError(fmt::format(
        "{}: a matrix of runs, where one run is expected; "
        "use `grapevine bench {}`",
        file.matrix_origin,
        file_name));
  }
  const std::array<Assignments, 2> layers = {
      std::move(file.base),
      read_flags(flags)};
  return assemble(layers);
}

} // namespace grapevine::spec
