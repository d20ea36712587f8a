#include "base/link_options.h"

#include "base/error.h"
#include "base/text_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <span>

namespace grapevine {
namespace {

constexpr std::string_view kUnlimited = "unlimited";

struct Unit {
  std::string_view name;
  double factor;
};

// Bits a second; letters of any case.
constexpr Unit kBits[] = {
    {"tbit", 1e12},
    {"gbit", 1e9},
    {"mbit", 1e6},
    {"kbit", 1e3},
    {"bit", 1},
};
// Bytes a second; B is a byte, and b would be read as a bit by some.
constexpr Unit kBytes[] = {
    {"GB/s", 1e9},
    {"MB/s", 1e6},
    {"kB/s", 1e3},
    {"KB/s", 1e3},
    {"B/s", 1},
};
constexpr Unit kTimes[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};

std::string lower(std::string_view text) {
  std::string word(text);
  std::ranges::transform(word, word.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  return word;
}

std::optional<double> factor_of(
    std::span<const Unit> units,
    std::string_view word) {
  const auto found = std::ranges::find(units, word, &Unit::name);
  return found == units.end() ? std::nullopt : std::optional(found->factor);
}

std::optional<double> bytes_per_second(std::string_view text) {
  if (lower(text) == kUnlimited) return LinkOptions{}.bytes_per_second;
  const auto number = take_number(text);
  if (!number || *number == 0) return std::nullopt;
  if (const auto factor = factor_of(kBytes, text)) return *number * *factor;
  std::string word = lower(text);
  if (word.ends_with("/s")) word.resize(word.size() - 2);
  if (const auto factor = factor_of(kBits, word)) {
    return *number * *factor / 8;
  }
  return std::nullopt;
}

std::optional<double> delay_seconds(std::string_view text) {
  text = trim(text);
  const auto number = take_number(text);
  if (!number) return std::nullopt;
  if (*number == 0 && text.empty()) return 0.0;
  const auto factor = factor_of(kTimes, lower(text));
  return factor ? std::optional(*number * *factor) : std::nullopt;
}

// In the largest unit that gives at least 1 and reads back as the same value.
// The last unit must be exact.
template <typename Parse>
std::string with_unit(double value, std::span<const Unit> units, Parse parse) {
  for (const Unit& unit : units) {
    const double number = value / unit.factor;
    const std::string text = fmt::format("{}{}", number, unit.name);
    if (number >= 1 && parse(text) == value) return text;
  }
  return fmt::format("{}{}", value / units.back().factor, units.back().name);
}

[[noreturn]] void refuse_link(std::string_view word) {
  throw ConfigError(fmt::format(
      "expected RATE or RATE,DELAY, the rate in bit, kbit, mbit, gbit, tbit, "
      "B/s, kB/s, MB/s or GB/s, or 'unlimited', the delay in ns, us, ms or "
      "s, like 1gbit,2ms or 100MB/s, and behind a ';' each the links that "
      "differ, like 1gbit,2ms;2-3:100mbit,10ms, got '{}'",
      word));
}

// RATE or RATE,DELAY. `word`: what it is a part of.
LinkLimits
limits_of(std::string_view text, double usual_delay, std::string_view word) {
  const auto parts = split(text, ',');
  const auto rate = bytes_per_second(parts[0]);
  const auto delay =
      parts.size() == 2 ? delay_seconds(parts[1]) : std::optional(usual_delay);
  if (!rate || !delay || parts.size() > 2) refuse_link(word);
  return {.bytes_per_second = *rate, .delay_seconds = *delay};
}

// A-B:RATE or A-B:RATE,DELAY.
PairLink pair_of(std::string_view word, double usual_delay) {
  const auto parts = split(word, ':');
  if (parts.size() != 2) refuse_link(word);
  const auto ends = split(parts[0], '-');
  if (ends.size() != 2) refuse_link(word);
  const auto a = rank_of(ends[0]);
  const auto b = rank_of(ends[1]);
  if (!a || !b || *a == *b) refuse_link(word);
  return {
      .a = std::min(*a, *b),
      .b = std::max(*a, *b),
      .limits = limits_of(parts[1], usual_delay, word)};
}

} // namespace

LinkLimits LinkOptions::between(int from, int to) const {
  const auto ends = std::minmax(from, to);
  for (const PairLink& pair : pairs) {
    if (pair.a == ends.first && pair.b == ends.second) return pair.limits;
  }
  return {.delay_seconds = delay_seconds};
}

std::optional<double> parse_delay(std::string_view text) {
  return delay_seconds(text);
}

LinkOptions parse_link(std::string_view text) {
  const auto words = split(text, ';');
  const LinkLimits all = limits_of(words[0], 0, words[0]);
  LinkOptions link{
      .bytes_per_second = all.bytes_per_second,
      .delay_seconds = all.delay_seconds};
  for (size_t i = 1; i < words.size(); ++i) {
    const PairLink pair = pair_of(words[i], link.delay_seconds);
    for (const PairLink& other : link.pairs) {
      if (pair.a != other.a || pair.b != other.b) continue;
      throw ConfigError(
          fmt::format("the link {}-{} is given twice", pair.a, pair.b));
    }
    link.pairs.push_back(pair);
  }
  std::ranges::sort(link.pairs, {}, [](const PairLink& pair) {
    return std::pair(pair.a, pair.b);
  });
  return link;
}

namespace {

std::string format_limits(const LinkLimits& link, double usual_delay) {
  std::string text(kUnlimited);
  if (std::isfinite(link.bytes_per_second)) {
    // Bits are exact: 8 is a power of two.
    text =
        with_unit(link.bytes_per_second * 8, kBits, [](std::string_view word) {
          return 8 * *bytes_per_second(word);
        });
  }
  if (link.delay_seconds == usual_delay) return text;
  if (link.delay_seconds == 0) return text + ",0";
  // Seconds are exact, and the last resort.
  constexpr Unit kAsWritten[] = {
      {"s", 1},
      {"ms", 1e-3},
      {"us", 1e-6},
      {"ns", 1e-9},
      {"s", 1},
  };
  return text + "," +
         with_unit(link.delay_seconds, kAsWritten, [](std::string_view word) {
           return *delay_seconds(word);
         });
}

} // namespace

std::string format_link(const LinkOptions& link) {
  std::string text =
      format_limits({link.bytes_per_second, link.delay_seconds}, 0);
  for (const PairLink& pair : link.pairs) {
    text += fmt::format(
        ";{}-{}:{}",
        pair.a,
        pair.b,
        format_limits(pair.limits, link.delay_seconds));
  }
  return text;
}

void check_links(const LinkOptions& link, int n, int workers_per_node) {
  for (const PairLink& pair : link.pairs) {
    if (pair.b >= n) {
      throw ConfigError(fmt::format(
          "there is no link {}-{}; the {} workers are 0 to {}",
          pair.a,
          pair.b,
          n,
          n - 1));
    }
    if (pair.a / workers_per_node == pair.b / workers_per_node) {
      throw ConfigError(fmt::format(
          "workers {} and {} share a node of {}; links between nodes alone "
          "are limited",
          pair.a,
          pair.b,
          workers_per_node));
    }
  }
}

} // namespace grapevine
