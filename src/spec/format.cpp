#include "base/sha256.h"
#include "spec/spec_table.h"

#include <fmt/format.h>

#include <filesystem>

namespace grapevine::spec {
namespace {

constexpr size_t kHashDigits = 12;

// The preset names the run as long as its graph was not replaced.
std::string label(const Spec& spec) {
  for (const Preset& preset : preset_table()) {
    const bool is_graph = preset.graph.empty() || preset.graph == spec.graph;
    const bool is_ada = preset.ada.empty() || preset.ada == spec.ada;
    if (preset.name == spec.preset && is_graph && is_ada) return preset.name;
  }
  return spec.graph;
}

} // namespace

std::string to_toml(const Spec& spec) {
  std::string text;
  std::string group;
  for (const SpecEntry& entry : spec_table()) {
    if (entry.group != group) {
      text += fmt::format("{}# {}\n", group.empty() ? "" : "\n", entry.group);
      group = entry.group;
    }
    text += fmt::format("{} = {}\n", entry.key, entry.get_toml(spec));
  }
  return text;
}

std::map<std::string, std::string> spec_fingerprint(const Spec& spec) {
  std::map<std::string, std::string> values;
  const Spec defaults;
  for (const SpecEntry& entry : spec_table()) {
    const std::string value = entry.get_toml(spec);
    const bool counts =
        entry.hashed_at_default || value != entry.get_toml(defaults);
    if (entry.decides_result && counts) values[entry.key] = value;
  }
  if (has_virtual_clock(spec)) {
    values["bucket-bytes"] = find_entry("bucket-bytes")->get_toml(spec);
    if (spec.packing) values["packing"] = find_entry("packing")->get_toml(spec);
  }
  return values;
}

std::optional<SpecDifference> first_difference(
    const Spec& first,
    const Spec& second) {
  auto keys = spec_fingerprint(first);
  keys.merge(spec_fingerprint(second));
  for (const auto& [key, ignored] : keys) {
    const SpecEntry& entry = *find_entry(key);
    const SpecDifference values{
        key,
        entry.get_toml(first),
        entry.get_toml(second)};
    if (values.first != values.second) return values;
  }
  return std::nullopt;
}

bool has_virtual_clock(const Spec& spec) {
  return !spec.compute.empty() || !spec.link.empty() || !spec.slow.empty() ||
         !spec.costs.empty();
}

std::string spec_hash(const Spec& spec) {
  std::string text;
  for (const auto& [key, value] : spec_fingerprint(spec)) {
    text += fmt::format("{} = {}\n", key, value);
  }
  return sha256_hex(text).substr(0, kHashDigits);
}

std::string run_name(const Spec& spec) {
  return fmt::format(
      "{}-{}-{}-n{}-s{}-{}",
      label(spec),
      // A model may be a file.
      std::filesystem::path(spec.model).stem().string(),
      spec.data,
      spec.n,
      spec.seed,
      spec_hash(spec));
}

} // namespace grapevine::spec
