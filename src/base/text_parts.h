// Reading the words of base/link_options.h, for its sources only.
#pragma once

#include "base/trim.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

namespace grapevine {

// The number that a text begins with; the rest stays. Finite and not negative.
inline std::optional<double> take_number(std::string_view& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || !std::isfinite(value) || std::signbit(value)) {
    return std::nullopt;
  }
  text = trim(text.substr(stop - text.data()));
  return value;
}

inline std::optional<double> whole_number(std::string_view text) {
  const auto value = take_number(text);
  return text.empty() ? value : std::nullopt;
}

inline std::vector<std::string_view> split(std::string_view text, char mark) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t at = text.find(mark);
    parts.push_back(trim(text.substr(0, at)));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

inline std::optional<int> rank_of(std::string_view text) {
  int rank = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, rank);
  const bool is_rank = error == std::errc() && stop == end && rank >= 0;
  return is_rank ? std::optional(rank) : std::nullopt;
}

} // namespace grapevine
