// A spec file as a list of assignments, each with its place, and a spec from
// layers of assignments. For the sources of this folder.
#pragma once

#include "spec/spec_table.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace grapevine::spec {

// One value for one key, as text that the table's set() understands.
struct Assignment {
  std::string key; // of the table
  std::string text;
  std::string origin; // "run.toml:12" or "--lr"
};
using Assignments = std::vector<Assignment>;

// One line of [matrix]: a key and the values that it takes in turn.
struct Axis {
  std::string key;
  std::string origin;
  Assignments values; // at least one
};

struct TomlFile {
  Assignments base;              // keys outside of any table
  std::vector<Axis> matrix;      // [matrix], in file order
  std::vector<Assignments> runs; // [[runs]], in file order
  std::string matrix_origin;     // of the first of both; empty = neither
};

// ConfigError: bad syntax, an unknown key or table (with the nearest), a key
// given twice, a value of the wrong type. Ranges are not looked at here.
TomlFile read_toml(std::string_view text, const std::string& file_name);

// Returns the flags as a layer. ConfigError: an unknown one (with the nearest).
Assignments read_flags(const Flags& flags);

// All keys of the table.
std::vector<std::string> known_keys();

// Later layers win over earlier ones, and later assignments of a layer over
// earlier ones. A preset lies underneath the layer that names it: it wins over
// the layers before and yields to what is set in that layer or after it.
ParsedSpec assemble(std::span<const Assignments> layers);

} // namespace grapevine::spec
