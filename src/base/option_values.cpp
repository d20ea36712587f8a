#include "base/option_values.h"

#include "base/error.h"
#include "base/trim.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

namespace grapevine {
namespace {

constexpr int64_t kMostInteger = std::numeric_limits<int64_t>::max();

std::string describe(IntegerRange range) {
  if (range.most == kMostInteger) {
    return fmt::format("an integer of at least {}", range.least);
  }
  return fmt::format("an integer from {} to {}", range.least, range.most);
}

std::string describe(NumberRange range) {
  std::string text = range.above ? fmt::format("above {}", range.least)
                                 : fmt::format("of at least {}", range.least);
  if (std::isfinite(range.most)) {
    text += range.below ? fmt::format(" and below {}", range.most)
                        : fmt::format(" and at most {}", range.most);
  }
  return "a number " + text;
}

[[noreturn]] void refuse(const std::string& expected, std::string_view text) {
  throw ConfigError(fmt::format("expected {}, got '{}'", expected, text));
}

bool contains(NumberRange range, double value) {
  if (!std::isfinite(value)) return false;
  if (range.above ? value <= range.least : value < range.least) return false;
  return range.below ? value < range.most : value <= range.most;
}

// The whole text, or nothing.
template <typename T>
bool read_whole(std::string_view text, T& value) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end;
}

// 0 for a unit that does not exist.
int64_t unit_factor(std::string_view unit) {
  static constexpr std::array<std::pair<std::string_view, int64_t>, 11> kUnits{
      {{"", 1},
       {"b", 1},
       {"k", 1000},
       {"kb", 1000},
       {"m", 1000 * 1000},
       {"mb", 1000 * 1000},
       {"g", 1000 * 1000 * 1000},
       {"gb", 1000 * 1000 * 1000},
       {"kib", 1 << 10},
       {"mib", 1 << 20},
       {"gib", 1 << 30}}};
  std::string lower(unit);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  for (const auto& [name, factor] : kUnits) {
    if (name == lower) return factor;
  }
  return 0;
}

} // namespace

int64_t parse_integer(std::string_view text, IntegerRange range) {
  int64_t value = 0;
  if (!read_whole(text, value) || value < range.least || value > range.most) {
    refuse(describe(range), text);
  }
  return value;
}

double parse_number(std::string_view text, NumberRange range) {
  double value = 0;
  if (!read_whole(text, value) || !contains(range, value)) {
    refuse(describe(range), text);
  }
  return value;
}

std::vector<double> parse_numbers(std::string_view text, NumberRange range) {
  std::string_view rest = trim(text);
  if (rest.size() >= 2 && rest.front() == '[' && rest.back() == ']') {
    rest = trim(rest.substr(1, rest.size() - 2));
  }
  std::vector<double> values;
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    values.push_back(parse_number(trim(rest.substr(0, comma)), range));
    if (comma == std::string_view::npos) break;
    rest = trim(rest.substr(comma + 1));
    if (rest.empty()) refuse("a number after the comma", text);
  }
  return values;
}

bool parse_yes_no(std::string_view text) {
  if (text == "true" || text == "yes") return true;
  if (text == "false" || text == "no") return false;
  refuse("true or false", text);
}

int64_t parse_bytes(std::string_view text, IntegerRange range) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto digits =
      std::find_if_not(text.begin(), text.end(), is_digit) - text.begin();
  int64_t count = 0;
  const bool has_count = read_whole(text.substr(0, digits), count);
  const int64_t factor = unit_factor(trim(text.substr(digits)));
  if (!has_count || factor == 0 || count > kMostInteger / factor ||
      count * factor < range.least || count * factor > range.most) {
    refuse(
        fmt::format(
            "bytes from {} to {}, like 65536, 64k or 1MiB",
            range.least,
            range.most),
        text);
  }
  return count * factor;
}

std::string toml_number(double value) {
  return fmt::format("{}", value);
}

std::string toml_numbers(std::span<const double> values) {
  std::vector<std::string> words;
  for (const double value : values)
    words.push_back(toml_number(value));
  return fmt::format("[{}]", comma_list(words));
}

std::string toml_text(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string comma_list(std::span<const std::string> words) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ", ";
    text += word;
  }
  return text;
}

} // namespace grapevine
