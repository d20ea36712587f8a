// Values as people write them, in flags and in TOML: one reader and one writer
// for each type of the table. Readers throw ConfigError with the reason only.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace grapevine {

// Both ends included.
struct IntegerRange {
  int64_t least;
  int64_t most;
};

// `above` excludes the lower end, `below` the upper one.
struct NumberRange {
  double least;
  double most;
  bool above = false;
  bool below = false;
};

int64_t parse_integer(std::string_view text, IntegerRange range);
// Finite numbers only.
double parse_number(std::string_view text, NumberRange range);
// "0.5, 0.75", with or without brackets; empty is no number.
std::vector<double> parse_numbers(std::string_view text, NumberRange range);
// true, false, yes or no.
bool parse_yes_no(std::string_view text);
// An integer with an optional unit: k, M and G (also kB, MB, GB) are powers of
// 1000; KiB, MiB and GiB powers of 1024. Case does not matter.
int64_t parse_bytes(std::string_view text, IntegerRange range);

// As TOML.
std::string toml_number(double value);
std::string toml_numbers(std::span<const double> values);
std::string toml_text(std::string_view text);

// "a, b, c".
std::string comma_list(std::span<const std::string> words);

} // namespace grapevine
