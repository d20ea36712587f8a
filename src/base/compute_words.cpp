#include "base/compute_words.h"

#include "base/error.h"
#include "base/link_options.h"
#include "base/text_parts.h"

#include <fmt/format.h>

#include <vector>

namespace grapevine {
namespace {

// Backward computes two products for each one of forward.
constexpr double kForwardShare = 1.0 / 3;

} // namespace

ComputeWords parse_compute(std::string_view text) {
  std::vector<double> times;
  for (const std::string_view part : split(text, ',')) {
    const auto seconds = parse_delay(part);
    if (!seconds || times.size() == 3) {
      throw ConfigError(fmt::format(
          "expected the seconds of a step, or of forward and backward, or of "
          "forward, backward and update, in ns, us, ms or s, like 12ms or "
          "4ms,8ms, got '{}'",
          text));
    }
    times.push_back(*seconds);
  }
  if (times.size() == 1) {
    return {
        .forward = kForwardShare * times[0],
        .backward = (1 - kForwardShare) * times[0],
        .update = 0};
  }
  return {
      .forward = times[0],
      .backward = times[1],
      .update = times.size() == 3 ? times[2] : 0};
}

} // namespace grapevine
