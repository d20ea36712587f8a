#include "cli/spec_flags.h"

#include "algo/agreement.h"
#include "algo/rules.h"
#include "base/error.h"
#include "cli/table.h"
#include "graph/schedule.h"
#include "record/atomic_file.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>

namespace grapevine::cli {
namespace {

// Longer lists stand at the end of --help.
constexpr size_t kShownChoices = 4;

std::string help_of(const spec::SpecEntry& entry) {
  if (entry.allowed.empty()) return entry.help;
  if (entry.allowed.size() > kShownChoices) return entry.help + "; see below";
  std::string choices;
  for (const std::string& word : entry.allowed) {
    choices += (choices.empty() ? "" : " | ") + word;
  }
  return fmt::format("{}: {}", entry.help, choices);
}

std::string default_of(const spec::SpecEntry& entry) {
  std::string value = entry.get_toml(spec::Spec{});
  if (entry.type != "text") return value;
  return value.substr(1, value.size() - 2);
}

std::string type_of(const spec::SpecEntry& entry) {
  if (entry.type == "integer") return "N";
  if (entry.type == "number") return "X";
  if (entry.type == "numbers") return "X,X";
  if (entry.type == "bytes") return "BYTES";
  return "TEXT";
}

CLI::Option* add(CLI::App& app, const spec::SpecEntry& entry) {
  const std::string flag = spec::flag_of(entry.key);
  const std::string help = help_of(entry);
  if (entry.type == "yes/no") {
    return app.add_flag(flag, help)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
        ->group(entry.group);
  }
  return app.add_option(flag, help)
      ->type_name(type_of(entry))
      ->default_str(default_of(entry))
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
      ->group(entry.group);
}

// Names, the flags that each takes, and what it is.
template <typename Entries>
std::string table_text(const Entries& entries) {
  Table table;
  for (const auto& entry : entries) {
    std::string options;
    for (const std::string& option : entry.options) {
      options += (options.empty() ? "" : ", ") + spec::flag_of(option);
    }
    table.add_row({entry.name, options, entry.summary});
  }
  return table.text(2);
}

} // namespace

void SpecFlags::declare(CLI::App& app, const std::vector<std::string>& only) {
  for (const spec::SpecEntry& entry : spec::spec_table()) {
    const bool wanted =
        only.empty() ||
        std::find(only.begin(), only.end(), entry.key) != only.end();
    if (wanted) options_.emplace_back(entry.key, add(app, entry));
  }
}

std::vector<std::pair<std::string, std::string>> SpecFlags::given() const {
  std::vector<std::pair<std::string, std::string>> flags;
  for (const auto& [key, option] : options_) {
    if (option->count() > 0) flags.emplace_back(key, option->results().back());
  }
  return flags;
}

std::string names_footer() {
  Table presets;
  for (const spec::Preset& preset : spec::preset_table()) {
    presets.add_row({preset.name, preset.summary});
  }
  return fmt::format(
      "Presets:\n{}\nAgreements:\n{}\nOptimizers:\n{}\nGraphs:\n{}",
      presets.text(2),
      table_text(algo::agreement_table()),
      table_text(algo::optimizer_table()),
      table_text(graph::graph_table()));
}

std::string read_spec_file(const std::string& path) {
  try {
    return record::read_file(path);
  } catch (const IoError& error) {
    throw ConfigError(error.what());
  }
}

} // namespace grapevine::cli
