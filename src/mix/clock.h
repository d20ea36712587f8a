// Real time, for where a step's time goes.
#pragma once

#include <chrono>

namespace grapevine::mix {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

} // namespace grapevine::mix
