// The options of a run as flags, made from the spec's table.
#pragma once

#include "spec/spec_table.h"

#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace grapevine::cli {

class SpecFlags {
 public:
  // All keys of the table, or only those named.
  void declare(CLI::App& app, const std::vector<std::string>& only = {});

  // Key and value of each flag that was given; of repeated ones the last.
  std::vector<std::pair<std::string, std::string>> given() const;

 private:
  std::vector<std::pair<std::string, CLI::Option*>> options_;
};

// Presets and graphs with their summaries, for the end of --help.
std::string names_footer();

// The text of a spec file. ConfigError where it cannot be read.
std::string read_spec_file(const std::string& path);

} // namespace grapevine::cli
