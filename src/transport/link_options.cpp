#include "transport/link_options.h"

#include "base/error.h"
#include "base/random.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>

namespace grapevine::transport {
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

std::string_view trim(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_space(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && is_space(text.back()))
    text.remove_suffix(1);
  return text;
}

std::string lower(std::string_view text) {
  std::string word(text);
  std::ranges::transform(word, word.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  return word;
}

// The number that a text begins with; the rest stays. Finite and not negative.
std::optional<double> take_number(std::string_view& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || !std::isfinite(value) || std::signbit(value)) {
    return std::nullopt;
  }
  text = trim(text.substr(stop - text.data()));
  return value;
}

std::optional<double> whole_number(std::string_view text) {
  const auto value = take_number(text);
  return text.empty() ? value : std::nullopt;
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

std::vector<std::string_view> split(std::string_view text, char mark) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t at = text.find(mark);
    parts.push_back(trim(text.substr(0, at)));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

[[noreturn]] void refuse_slow(std::string_view word) {
  throw ConfigError(fmt::format(
      "expected RANK:FACTOR or random:SHARE:FACTOR, with a share above 0 and "
      "at most 1 and a factor of at least 1, like 3:2.0 or random:0.1:2.0, "
      "got '{}'",
      word));
}

double slow_number(
    std::string_view text,
    double least,
    double most,
    std::string_view word) {
  const auto value = whole_number(text);
  if (!value || *value < least || *value > most) refuse_slow(word);
  return *value;
}

constexpr double kMostFactor = 1e6;

void add_worker(
    SlowOptions& slow,
    std::span<const std::string_view> parts,
    std::string_view word) {
  int rank = 0;
  const std::string_view text = parts[0];
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, rank);
  if (error != std::errc() || stop != end || rank < 0) refuse_slow(word);
  if (std::ranges::find(slow.workers, rank, &SlowWorker::rank) !=
      slow.workers.end()) {
    throw ConfigError(fmt::format("worker {} is named twice", rank));
  }
  slow.workers.push_back({rank, slow_number(parts[1], 1, kMostFactor, word)});
}

void add_random(
    SlowOptions& slow,
    std::span<const std::string_view> parts,
    std::string_view word) {
  if (slow.random_share > 0) throw ConfigError("random is given twice");
  slow.random_share = slow_number(parts[1], 0, 1, word);
  if (slow.random_share == 0) refuse_slow(word);
  slow.random_factor = slow_number(parts[2], 1, kMostFactor, word);
}

} // namespace

LinkOptions parse_link(std::string_view text) {
  const auto parts = split(text, ',');
  const auto rate = bytes_per_second(parts[0]);
  const auto delay =
      parts.size() == 2 ? delay_seconds(parts[1]) : std::optional(0.0);
  if (!rate || !delay || parts.size() > 2) {
    throw ConfigError(fmt::format(
        "expected RATE or RATE,DELAY, the rate in bit, kbit, mbit, gbit, tbit, "
        "B/s, kB/s, MB/s or GB/s, or 'unlimited', the delay in ns, us, ms or "
        "s, like 1gbit,2ms or 100MB/s, got '{}'",
        text));
  }
  return {.bytes_per_second = *rate, .delay_seconds = *delay};
}

std::string format_link(const LinkOptions& link) {
  std::string text(kUnlimited);
  if (std::isfinite(link.bytes_per_second)) {
    // Bits are exact: 8 is a power of two.
    text =
        with_unit(link.bytes_per_second * 8, kBits, [](std::string_view word) {
          return 8 * *bytes_per_second(word);
        });
  }
  if (link.delay_seconds == 0) return text;
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

SlowOptions parse_slow(std::string_view text) {
  SlowOptions slow;
  if (trim(text).empty()) return slow;
  for (const std::string_view word : split(text, ',')) {
    const auto parts = split(word, ':');
    if (parts.size() == 2) {
      add_worker(slow, parts, word);
    } else if (parts.size() == 3 && parts[0] == "random") {
      add_random(slow, parts, word);
    } else {
      refuse_slow(word);
    }
  }
  std::ranges::sort(slow.workers, {}, &SlowWorker::rank);
  return slow;
}

std::string format_slow(const SlowOptions& slow) {
  std::string text;
  const auto add = [&](const std::string& word) {
    if (!text.empty()) text += ',';
    text += word;
  };
  for (const SlowWorker& worker : slow.workers)
    add(fmt::format("{}:{}", worker.rank, worker.factor));
  if (slow.random_share > 0) {
    add(fmt::format("random:{}:{}", slow.random_share, slow.random_factor));
  }
  return text;
}

void check_slow_workers(const SlowOptions& slow, int n) {
  for (const SlowWorker& worker : slow.workers) {
    if (worker.rank < n) continue;
    throw ConfigError(fmt::format(
        "there is no worker {} to slow down; the {} workers are 0 to {}",
        worker.rank,
        n,
        n - 1));
  }
}

double
slow_factor(const SlowOptions& slow, uint64_t seed, int rank, int64_t step) {
  double factor = 1;
  for (const SlowWorker& worker : slow.workers) {
    if (worker.rank == rank) factor *= worker.factor;
  }
  if (slow.random_share > 0) {
    Random random(seed, Purpose::kSlow, rank, step);
    if (random.uniform() < slow.random_share) factor *= slow.random_factor;
  }
  return factor;
}

} // namespace grapevine::transport
