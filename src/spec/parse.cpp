#include "base/error.h"
#include "base/names.h"
#include "spec/spec_table.h"
#include "spec/toml_file.h"

#include <fmt/format.h>

#include <array>
#include <map>

namespace grapevine::spec {
namespace {

// In which layer each key was last assigned.
using Heights = std::map<std::string, size_t>;

void assign(ParsedSpec& parsed, const Assignment& assignment) {
  parsed.origins[assignment.key] = assignment.origin;
  try {
    find_entry(assignment.key)->set(parsed.spec, assignment.text);
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format(
        "{}: {}",
        place_of(parsed.origins, assignment.key),
        error.what()));
  }
}

void apply_preset(ParsedSpec& parsed, const Heights& heights) {
  if (parsed.spec.preset.empty()) return;
  const Preset* preset =
      &find_row("preset", parsed.spec.preset, preset_table());
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

Assignments read_flags(const Flags& flags) {
  Assignments layer;
  for (const auto& [key, value] : flags) {
    if (!find_entry(key)) {
      const auto near = nearest_spelling(key, known_keys());
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
  for (const auto& [key, value] :
       algo::find_optimizer(parsed.spec.optimizer).defaults) {
    if (parsed.origins.count(key)) continue;
    find_entry(key)->set(parsed.spec, value);
  }
  return parsed;
}

ParsedSpec parse_spec(
    std::string_view toml,
    const std::string& file_name,
    const Flags& flags) {
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
