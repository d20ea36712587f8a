#include "cli/units.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace grapevine::cli {
namespace {

constexpr const char* kNothing = "–";

std::string scaled(double value, const char* unit) {
  static constexpr std::array<const char*, 6> kPrefixes =
      {"", "k", "M", "G", "T", "P"};
  if (!std::isfinite(value)) return kNothing;
  size_t prefix = 0;
  while (std::abs(value) >= 999.5 && prefix + 1 < kPrefixes.size()) {
    value /= 1000;
    ++prefix;
  }
  const int digits = prefix == 0 ? 0 : std::abs(value) < 9.995 ? 2 : 1;
  const std::string suffix = fmt::format("{}{}", kPrefixes[prefix], unit);
  return fmt::format(
      "{:.{}f}{}{}",
      value,
      digits,
      suffix.empty() ? "" : " ",
      suffix);
}

} // namespace

std::string human_bytes(double bytes) {
  return scaled(bytes, "B");
}

std::string human_count(double count) {
  return scaled(count, "");
}

std::string human_seconds(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return kNothing;
  if (seconds < 60)
    return fmt::format("{:.{}f} s", seconds, seconds < 10 ? 1 : 0);
  const auto whole = static_cast<int64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format(
      "{}:{:02}:{:02}",
      whole / 3600,
      whole / 60 % 60,
      whole % 60);
}

std::string human_percent(double fraction) {
  if (!std::isfinite(fraction)) return kNothing;
  return fmt::format("{:.2f} %", 100 * fraction);
}

std::string human_number(double value) {
  if (!std::isfinite(value)) return kNothing;
  return fmt::format("{:.4g}", value);
}

std::string quality_text(double accuracy, std::optional<double> perplexity) {
  return perplexity ? "perplexity " + human_number(*perplexity)
                    : "accuracy " + human_percent(accuracy);
}

} // namespace grapevine::cli
