// A spec file as a list of assignments, each with its place: the one part of
// this layer that knows the TOML library.
#pragma once

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

} // namespace grapevine::spec
