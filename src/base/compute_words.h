// The text of --compute: the seconds of a step.
#pragma once

#include <string_view>

namespace grapevine {

// "12ms" (a third forward, the rest backward), "4ms,8ms" or "4ms,8ms,1ms":
// forward, backward, update. In seconds.
struct ComputeWords {
  double forward = 0;
  double backward = 0;
  double update = 0;
};

// Throws ConfigError with the text and what is allowed, without the option's
// name.
ComputeWords parse_compute(std::string_view text);

} // namespace grapevine
