#include "report/grouping.h"

#include <fmt/format.h>
#include "algo/agreement.h"
#include "spec/kinds.h"
#include "spec/spec_table.h"

#include <algorithm>
#include <charconv>

namespace grapevine::report {
namespace {

using spec::Preset;
using spec::Spec;
using spec::SpecEntry;

// Returns what a preset sets; empty if it leaves the key open.
std::string preset_value(const Preset& preset, const std::string& key) {
  if (key == "agreement") return preset.agreement;
  if (key == "optimizer") return preset.optimizer;
  if (key == "graph") return preset.graph;
  if (key == "ada") return preset.ada;
  if (key == "continuous-momentum") return preset.continuous_momentum;
  return "";
}

const Preset* preset_of(const Spec& spec) {
  for (const Preset& preset : spec::preset_table()) {
    if (preset.name == spec.preset) return &preset;
  }
  return nullptr;
}

// Whether the preset's name implies this key's value: it sets it, or the key
// has its default.
bool preset_says(const Spec& spec, const std::string& key) {
  const Preset* preset = preset_of(spec);
  if (preset == nullptr) return false;
  const std::string set = preset_value(*preset, key);
  return choice_text(spec, key) ==
         (set.empty() ? choice_text(Spec(), key) : set);
}

bool may_be_implied(const std::string& key) {
  return key == "agreement" || key == "optimizer" || key == "graph" ||
         key == "ada" || key == "continuous-momentum";
}

bool names_implementation(const SpecEntry& entry) {
  return entry.key != "n" &&
         (entry.group == "Algorithm" || entry.group == "Graph");
}

bool is_shown(const SpecEntry& entry) {
  return entry.decides_result || entry.key == "preset";
}

bool differs(const std::vector<RunData>& runs, const SpecEntry& entry) {
  const std::string first = entry.get_toml(runs.front().spec);
  const bool varies = std::ranges::any_of(runs, [&](const RunData& run) {
    return entry.get_toml(run.spec) != first;
  });
  if (!varies || !may_be_implied(entry.key)) return varies;
  return !std::ranges::all_of(runs, [&](const RunData& run) {
    return preset_says(run.spec, entry.key);
  });
}

// "ada", "lattice k 4"; "adapt-then-combine lattice k 4" if other runs have
// another agreement and no preset implies it.
std::string base_label(const Spec& spec, const std::vector<std::string>& keys) {
  if (!spec.preset.empty() && preset_says(spec, "graph") &&
      preset_says(spec, "agreement")) {
    return spec.preset;
  }
  if (algo::find_agreement(spec.agreement).is_centralized()) {
    return spec.agreement;
  }
  const bool is_news = std::ranges::find(keys, "agreement") != keys.end();
  std::string label = is_news ? spec.agreement + " " + spec.graph : spec.graph;
  if (spec.graph == "lattice" || spec.graph == "random-regular") {
    label += spec.k > 0 ? fmt::format(" k {}", spec.k) : "";
  }
  return label;
}

bool is_in_base_label(const std::string& key) {
  return key == "preset" || key == "agreement" || key == "graph";
}

std::string with_choices(std::string label, const Choices& choices) {
  for (const auto& [key, value] : choices)
    label += fmt::format(" {} {}", key, value);
  return label;
}

Group make_group(
    const Spec& spec,
    const std::vector<std::string>& keys,
    const spec::Kinds& kinds) {
  Group group;
  group.n = spec.n;
  group.decentralized = !algo::find_agreement(spec.agreement).is_centralized();
  Choices options;
  for (const std::string& key : keys) {
    if (key == "seed") continue;
    const std::string value = choice_text(spec, key);
    group.keys.emplace_back(key, value);
    if (!names_implementation(*spec::find_entry(key))) {
      group.stratum.emplace_back(key, value);
    } else if (!is_in_base_label(key)) {
      // Leave out what the preset implies or all of its kind have.
      const bool is_news = kinds.varies(spec, key) && !preset_says(spec, key);
      const bool in_base = key == "k" && spec.preset.empty();
      if (is_news && !in_base) options.emplace_back(key, value);
    }
  }
  group.implementation = with_choices(base_label(spec, keys), options);
  group.label = with_choices(group.implementation, group.stratum);
  return group;
}

// Everything that decides the result but the seed.
std::string identity(const Spec& spec) {
  std::string text;
  for (const auto& [key, value] : spec::spec_fingerprint(spec)) {
    if (key != "seed") text += key + "=" + value + "\n";
  }
  return text;
}

int preset_place(const std::string& name) {
  const auto& table = spec::preset_table();
  const auto found = std::ranges::find(table, name, &Preset::name);
  return static_cast<int>(found - table.begin());
}

// A value as something that sorts: presets in their order, numbers by size,
// words by letters.
std::pair<double, std::string> sort_key(
    const Spec& spec,
    const SpecEntry& entry) {
  const std::string text = entry.get_toml(spec);
  if (entry.key == "preset") return {preset_place(spec.preset), text};
  double number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number =
      error == std::errc() && end == text.data() + text.size();
  return {is_number ? number : 0, is_number ? "" : text};
}

void make_unique(std::vector<Group>& groups) {
  std::map<std::string, int> used;
  for (Group& group : groups) {
    const int before = used[group.label]++;
    if (before > 0) group.label += fmt::format(" ({})", before + 1);
  }
}

} // namespace

std::string choice_text(const Spec& spec, const std::string& key) {
  std::string value = spec::find_entry(key)->get_toml(spec);
  if (value.size() >= 2 && value.front() == '"') {
    value = value.substr(1, value.size() - 2);
  }
  return value.empty() ? "–" : value;
}

std::string to_text(const Choices& choices) {
  std::string text;
  for (const auto& [key, value] : choices) {
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", key, value);
  }
  return text;
}

std::string value_of(const Choices& choices, const std::string& key) {
  for (const auto& [name, value] : choices) {
    if (name == key) return value;
  }
  return "";
}

void sort_runs(std::vector<RunData>& runs) {
  std::vector<const SpecEntry*> entries;
  for (const SpecEntry& entry : spec::spec_table()) {
    const auto differs_here = [&](const RunData& run) {
      return entry.get_toml(run.spec) != entry.get_toml(runs.front().spec);
    };
    if (is_shown(entry) && std::ranges::any_of(runs, differs_here)) {
      entries.push_back(&entry);
    }
  }
  using Key = std::vector<std::pair<double, std::string>>;
  std::vector<std::pair<Key, RunData>> keyed;
  for (RunData& run : runs) {
    Key key;
    for (const SpecEntry* entry : entries)
      key.push_back(sort_key(run.spec, *entry));
    keyed.emplace_back(std::move(key), std::move(run));
  }
  std::ranges::stable_sort(keyed, {}, &std::pair<Key, RunData>::first);
  for (size_t i = 0; i < runs.size(); ++i)
    runs[i] = std::move(keyed[i].second);
}

Grouping group_runs(const std::vector<RunData>& runs) {
  Grouping result;
  if (runs.empty()) return result;
  for (const SpecEntry& entry : spec::spec_table()) {
    if (!is_shown(entry)) continue;
    if (differs(runs, entry)) {
      result.keys.push_back(entry.key);
    } else if (entry.decides_result) {
      const std::string first = entry.get_toml(runs.front().spec);
      const bool same = std::ranges::all_of(runs, [&](const RunData& run) {
        return entry.get_toml(run.spec) == first;
      });
      if (same) {
        result.common.emplace_back(
            entry.key,
            choice_text(runs.front().spec, entry.key));
      }
    }
  }
  std::vector<const Spec*> specs;
  for (const RunData& run : runs)
    specs.push_back(&run.spec);
  const spec::Kinds kinds(specs, result.keys);
  std::map<std::string, int> by_identity;
  for (size_t i = 0; i < runs.size(); ++i) {
    const auto [found, is_new] = by_identity.try_emplace(
        identity(runs[i].spec),
        static_cast<int>(result.groups.size()));
    if (is_new) {
      result.groups.push_back(make_group(runs[i].spec, result.keys, kinds));
      result.groups.back().id = found->second;
    }
    result.groups[found->second].runs.push_back(static_cast<int>(i));
    result.group_of.push_back(found->second);
  }
  make_unique(result.groups);
  for (size_t i = 0; i < runs.size(); ++i) {
    result.labels.push_back(fmt::format(
        "{} seed {}",
        result.groups[result.group_of[i]].label,
        runs[i].spec.seed));
  }
  return result;
}

} // namespace grapevine::report
