// The options of a struct, each declared once: the name, the member that holds
// it, its range or choices, and the help. --help, TOML, spec.toml, validation
// and the library's options by name all read these declarations.
//
//   integer("rows", &GraphOptions::rows, {0, 65536})
//       .says("torus: rows; 0 = as square as possible")
//
// A list for a struct is a list for any struct that derives from it.
#pragma once

#include "base/error.h"
#include "base/names.h"
#include "base/option_values.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace grapevine {

inline constexpr int64_t kAnyMore = std::numeric_limits<int64_t>::max();
inline constexpr double kNoBound = std::numeric_limits<double>::infinity();
inline constexpr NumberRange kAtLeastZero{.least = 0, .most = kNoBound};
inline constexpr NumberRange kAboveZero{
    .least = 0,
    .most = kNoBound,
    .above = true};
// From 0, and below 1.
inline constexpr NumberRange kFraction{.least = 0, .most = 1, .below = true};

template <typename Struct>
struct Option {
  std::string key;   // "lr-scaling": TOML key and, with --, the flag
  std::string type;  // one of the types below
  std::string group; // heading in --help: "Algorithm", "Graph", …
  std::string help;  // one line, with units
  std::vector<std::string> allowed; // empty = free
  // False for what cannot change a result (transport, threads, paths): left
  // out of the hash that names the run.
  bool decides_result = true;
  // False: left out of the hash while it has its default, so that runs without
  // it keep the names that they had before it existed.
  bool hashed_at_default = true;
  // The option is for runs whose option `needs_key` is `needs_value`; empty:
  // for all runs.
  std::string needs_key;
  std::string needs_value;
  // Parses and stores. Throws ConfigError with the reason only ("expected a
  // number above 0, got 'x'"); the caller adds file and line or the flag.
  std::function<void(Struct&, std::string_view)> set;
  // The value as TOML ("0.05", "\"ring\"", "[0.5, 0.75]").
  std::function<std::string(const Struct&)> get_toml;

  Option says(std::string text) && {
    help = std::move(text);
    return std::move(*this);
  }
  Option no_effect_on_result() && {
    decides_result = false;
    return std::move(*this);
  }
  // For an option that is newer than the first runs.
  Option hashed_if_set() && {
    hashed_at_default = false;
    return std::move(*this);
  }
  Option only_for(std::string other, std::string value) && {
    needs_key = std::move(other);
    needs_value = std::move(value);
    return std::move(*this);
  }
  // Also takes this text, which stands for this value.
  template <typename T>
  Option also(std::string text, T Struct::*field, T value) && {
    set = [text = std::move(text), field, value, otherwise = std::move(set)](
              Struct& target,
              std::string_view given) {
      if (given == text) {
        target.*field = value;
      } else {
        otherwise(target, given);
      }
    };
    return std::move(*this);
  }

  // As an option of a struct that derives from this one.
  template <typename Derived>
  operator Option<Derived>() const {
    return {
        key,
        type,
        group,
        help,
        allowed,
        decides_result,
        hashed_at_default,
        needs_key,
        needs_value,
        set,
        get_toml};
  }
};

template <typename Struct, typename T>
Option<Struct> integer(std::string key, T Struct::*field, IntegerRange range) {
  range.most = static_cast<int64_t>(std::min<uint64_t>(
      range.most,
      static_cast<uint64_t>(std::numeric_limits<T>::max())));
  Option<Struct> option{.key = std::move(key), .type = "integer"};
  option.set = [=](Struct& target, std::string_view text) {
    target.*field = static_cast<T>(parse_integer(text, range));
  };
  option.get_toml = [=](const Struct& from) {
    return std::to_string(from.*field);
  };
  return option;
}

// An integer with an optional unit: 64k, 1MiB.
template <typename Struct>
Option<Struct>
bytes(std::string key, int64_t Struct::*field, IntegerRange range) {
  Option<Struct> option = integer(std::move(key), field, range);
  option.type = "bytes";
  option.set = [=](Struct& target, std::string_view text) {
    target.*field = parse_bytes(text, range);
  };
  return option;
}

template <typename Struct>
Option<Struct>
number(std::string key, double Struct::*field, NumberRange range) {
  Option<Struct> option{.key = std::move(key), .type = "number"};
  option.set = [=](Struct& target, std::string_view text) {
    target.*field = parse_number(text, range);
  };
  option.get_toml = [=](const Struct& from) {
    return toml_number(from.*field);
  };
  return option;
}

// A list of numbers.
template <typename Struct>
Option<Struct> numbers(
    std::string key,
    std::vector<double> Struct::*field,
    NumberRange range) {
  Option<Struct> option{.key = std::move(key), .type = "numbers"};
  option.set = [=](Struct& target, std::string_view text) {
    target.*field = parse_numbers(text, range);
  };
  option.get_toml = [=](const Struct& from) {
    return toml_numbers(from.*field);
  };
  return option;
}

template <typename Struct>
Option<Struct> yes_no(std::string key, bool Struct::*field) {
  Option<Struct> option{.key = std::move(key), .type = "yes/no"};
  option.set = [=](Struct& target, std::string_view text) {
    target.*field = parse_yes_no(text);
  };
  option.get_toml = [=](const Struct& from) -> std::string {
    return from.*field ? "true" : "false";
  };
  return option;
}

// check: throws ConfigError for a text that is not valid; empty is always
// valid.
template <typename Struct>
Option<Struct> text(
    std::string key,
    std::string Struct::*field,
    const std::function<void(std::string_view)>& check = nullptr) {
  Option<Struct> option{.key = std::move(key), .type = "text"};
  option.set = [=](Struct& target, std::string_view text) {
    if (check && !text.empty()) check(text);
    target.*field = text;
  };
  option.get_toml = [=](const Struct& from) { return toml_text(from.*field); };
  return option;
}

// Throws ConfigError unless the word is one of a list.
inline void check_choice(
    const std::string& key,
    std::string_view word,
    const std::vector<std::string>& allowed) {
  if (std::ranges::find(allowed, word) != allowed.end()) return;
  throw ConfigError(unknown_name(key, word, allowed));
}

// A word of a list; also empty if that is the default ("not given").
template <typename Struct>
Option<Struct> choice(
    std::string key,
    std::string Struct::*field,
    std::vector<std::string> allowed) {
  Option<Struct> option = text(key, field);
  option.set = [=](Struct& target, std::string_view word) {
    const bool may_be_empty = (Struct().*field).empty();
    if (!word.empty() || !may_be_empty) check_choice(key, word, allowed);
    target.*field = word;
  };
  option.allowed = std::move(allowed);
  return option;
}

// One of two words, for false and true.
template <typename Struct>
Option<Struct>
choice(std::string key, bool Struct::*field, std::string no, std::string yes) {
  Option<Struct> option{.key = key, .type = "text", .allowed = {no, yes}};
  option.set = [=](Struct& target, std::string_view word) {
    check_choice(key, word, {no, yes});
    target.*field = word == yes;
  };
  option.get_toml = [=](const Struct& from) {
    return toml_text(from.*field ? yes : no);
  };
  return option;
}

// The names of a table's rows, for a choice.
template <typename Table>
std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  for (const auto& row : table)
    names.push_back(row.name);
  return names;
}

// Returns the row of that name. ConfigError with the nearest if none has it.
template <typename Table>
const auto&
find_row(std::string_view kind, const std::string& name, const Table& table) {
  for (const auto& row : table) {
    if (row.name == name) return row;
  }
  throw ConfigError(unknown_name(kind, name, names_of(table)));
}

// Whether a row of a table (a graph, an optimizer, an agreement) takes the
// option.
template <typename Row>
bool takes(const Row& row, const std::string& key) {
  return std::ranges::find(row.options, key) != row.options.end();
}

// Sets an option of those that a row takes, by its name. ConfigError names the
// option and what is allowed.
template <typename Struct, typename Row>
void set_option(
    Struct& target,
    const std::vector<Option<Struct>>& options,
    const Row& row,
    const std::string& key,
    std::string_view text) {
  check_choice("option of " + row.name, key, row.options);
  try {
    std::ranges::find(options, key, &Option<Struct>::key)->set(target, text);
  } catch (const ConfigError& error) {
    throw ConfigError(key + ": " + error.what());
  }
}

} // namespace grapevine
